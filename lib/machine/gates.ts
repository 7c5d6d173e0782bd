import type { Gate, GateInput } from "./gate.ts";
import { frameApproved } from "./gates-approval.ts";
import { blockersFilled, questionOpen, ticketGiven } from "./gates-aside.ts";
import { withinBounds } from "./gates-bounds.ts";
import { checksPassed, requiredValidators } from "./gates-checks.ts";
import { featuresListed, featuresTrue } from "./gates-features.ts";
import { finished } from "./gates-finish.ts";
import { filled, frameFilled } from "./gates-frame.ts";
import { manualAnswered, manualNotRefused } from "./gates-manual.ts";
import { linkThere, proofThere } from "./gates-proof.ts";
import { noKnownBlocking, reviewersContent } from "./gates-review.ts";
import { squareHolds } from "./gates-square.ts";
import { stepsProven } from "./gates-steps.ts";
import { watchedClosed } from "./gates-watched.ts";
import { findingsClosed } from "./open-findings.ts";
import type { Phase } from "./phases.ts";

/** The gates of a transition, each judged. Staying in a phase has none but the proof of what was ticked. */
export function judgeGates(from: Phase, to: Phase, input: GateInput): Gate[] {
  return [...judgeMove(from, to, input), ...withinBounds(input), ...stepsProven(input, to)];
}

function judgeMove(from: Phase, to: Phase, input: GateInput): Gate[] {
  if (from === to) return [];
  if (to === "blocked") return [blockersFilled(input)];
  if (to === "needs_user_decision") return [questionOpen(input)];
  if (to === "repair") return [ticketGiven(input)];
  switch (`${from} → ${to}`) {
    case "intake → shape":
      return frameFilled(input);
    case "shape → implement":
      return [
        ...frameFilled(input),
        filled("validation_plan", input),
        ...featuresListed(input),
        ...reviewersContent(input, "shape"),
        ...frameApproved(input),
      ];
    case "implement → verify":
      return [filled("current_result", input), proofThere(input)];
    case "verify → review":
      return [...validated(input), ...noKnownBlocking(input)];
    case "review → done":
      return [...validated(input), ...reviewersContent(input, "review"), ...finished(input), ...manualAnswered(input)];
    default:
      return [];
  }
}

function validated(input: GateInput): Gate[] {
  return [
    requiredValidators(input),
    ...checksPassed(input),
    ...squareHolds(input),
    ...featuresTrue(input),
    findingsClosed(input.state),
    linkThere(input),
    ...watchedClosed(input),
    ...manualNotRefused(input),
  ];
}
