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
  tests_changed: v.picklist(["block", "show"]),
  proof: about(
    v.object({ counter: v.picklist(proofModes), clean: v.picklist(proofModes) }),
    "the cells of the proof square that are judged",
  ),
  approve: about(v.array(v.picklist(approvePhases)), "where a person is asked before the work goes on"),
  bounds: about(
    whole<Bounds>()({ verify: limits, repair: limits, over: v.picklist(["show", "block"]) }),
    "how much a pass may change",
  ),
  manual: about(v.array(manualScenario), "the scenarios that a person plays before `done`"),
  required_held_out: about(texts, "names"),
  review: v.object({ reviewers: texts, at: v.array(v.picklist(["shape", "review"])) }),
});
