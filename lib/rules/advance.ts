import { type FrameAnswer, isApproved } from "./approval.ts";
import type { GateResult } from "./decision.ts";
import type { Policy } from "./facts.ts";
import { type Gate, type GateInput, resultOf } from "./gate.ts";
import { filled, frameFilled, judgeGates } from "./gates.ts";
import { featuresListed } from "./gates-proof.ts";
import type { Phase } from "./phases.ts";
import type { StateView } from "./state-view.ts";

/** The phase to which the runner may move a task without a model before anything was built, or null. */
export function nextOfFrame(from: Phase): Phase | null {
  return from === "intake" ? "shape" : from === "shape" ? "implement" : null;
}

/** The gates of that move that STATE.md alone decides. */
export function frameGates(from: Phase, state: StateView): GateResult[] {
  const gates = [...frameFilled({ state }), ...(from === "shape" ? [filled("validation_plan", { state })] : [])];
  return gates.map(resultOf);
}

/**
 * Gates that leave the frame to a model because the contract asks for it. No model is paid for a frame that is filled.
 */
export function frameLeft(policy: Policy, state: StateView, approvals: readonly FrameAnswer[]): GateResult[] {
  const { approve, review, required_validators: checks } = policy;
  const reviewed = review.at.includes("shape") && review.reviewers.length > 0;
  const row = (gate: string, ok: boolean, detail: string): GateResult => ({ gate, ok, detail: ok ? "none" : detail });
  return [
    ...featuresListed({ policy, state }).map(resultOf),
    row(
      "No approval of the frame is due",
      !approve.includes("shape") || isApproved(state, approvals),
      "a person approves it",
    ),
    row("No review of the frame is due", !reviewed, review.reviewers.join(", ")),
    { gate: "A required validator is named", ok: checks.length > 0, detail: checks.join(", ") || "none" },
  ];
}

/** Gates that are decided only after the checks, or at the end of a pass. */
const notYetKnown = new Set(["checks_ran", "revalidated", "promise"]);

/** The gates of a move that need no check to run. */
export function gatesBesideChecks(from: Phase, to: Phase, input: GateInput): Gate[] {
  return judgeGates(from, to, { ...input, checks: null }).filter(({ code }) => !notYetKnown.has(code));
}
