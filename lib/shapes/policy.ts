import * as v from "valibot";
import { approvePhases } from "../machine/approval.ts";
import type { Bounds } from "../machine/bounds.ts";
import type { Policy } from "../machine/facts.ts";
import { proofModes } from "../machine/square.ts";
import { about, whole } from "../text/shape.ts";
import { limits, manualScenario } from "./facts.ts";
import { flag, maybeText, number, texts } from "./values.ts";

export const policy = whole<Policy>()({
  user_facing: flag,
  completion_promise: maybeText,
  budget: v.object({ passes: number, repairs: number }),
  retries_per_failure: number,
  required_validators: about(texts, "names"),
  required_scenarios: about(texts, "names"),
  tests_changed: v.exactOptional(v.picklist(["block", "show"])),
  proof: v.exactOptional(
    about(
      v.object({ counter: v.picklist(proofModes), clean: v.picklist(proofModes) }),
      "the cells of the proof square that are judged; missing in earlier versions",
    ),
  ),
  approve: v.exactOptional(
    about(v.array(v.picklist(approvePhases)), "where a person is asked before the work goes on; missing: nowhere"),
  ),
  bounds: v.exactOptional(
    about(
      whole<Bounds>()({ verify: limits, repair: limits, over: v.picklist(["show", "block"]) }),
      "how much a pass may change; missing in earlier versions: anything",
    ),
  ),
  manual: v.exactOptional(
    about(v.array(manualScenario), "the scenarios that a person plays before `done`; missing: none"),
  ),
  required_held_out: v.exactOptional(about(texts, "names; missing: none")),
  review: v.exactOptional(v.object({ reviewers: texts, at: v.array(v.picklist(["shape", "review"])) })),
});
