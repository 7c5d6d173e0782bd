import * as v from "valibot";
import { about } from "../../text/shape.ts";
import { approvePhases, proofModes } from "../words.ts";
import { limits, manualScenario } from "./facts.ts";
import { flag, maybeText, number, text, texts } from "./values.ts";

export const bounds = v.object({ verify: limits, repair: limits, over: v.picklist(["show", "block"]) });

export const policy = v.object({
  task: about(v.optional(text), "its id, for what a person types; missing: unknown"),
  user_facing: flag,
  completion_promise: maybeText,
  budget: v.object({ passes: number, repairs: number }),
  retries_per_failure: number,
  required_validators: about(texts, "names"),
  required_scenarios: about(texts, "names"),
  /** Whether a changed check or a weakened test asks a person or is only shown. */
  tests_changed: v.picklist(["block", "show"]),
  proof: about(
    v.object({ without: v.picklist(proofModes), clean: v.picklist(proofModes), wrong: v.picklist(proofModes) }),
    "the runs of the proof that are judged",
  ),
  approve: about(v.array(v.picklist(approvePhases)), "where a person is asked before the work goes on"),
  bounds: about(bounds, "how much a pass may change"),
  manual: about(v.array(manualScenario), "the scenarios that a person plays before `done`"),
  required_held_out: about(texts, "names"),
  review: v.object({ reviewers: texts, at: v.array(v.picklist(["shape", "review"])) }),
});
