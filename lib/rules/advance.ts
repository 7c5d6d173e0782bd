import { type FrameAnswer, isApproved } from "./approval.ts";
import type { GateResult } from "./decision.ts";
import type { Policy } from "./facts.ts";
import { type Gate, type GateInput, resultOf } from "./gate.ts";
import { filled, frameFilled, judgeGates } from "./gates.ts";
import { featuresListed } from "./gates-proof.ts";
import type { Phase } from "./phases.ts";
import type { StateView } from "./state-view.ts";

/** Where the runner may move a task from here without a model, before anything was built; null: nowhere. */
export function nextOfFrame(from: Phase): Phase | null {
  return from === "intake" ? "shape" : from === "shape" ? "implement" : null;
}

/** The gates of that move that STATE.md alone decides. */
export function frameGates(from: Phase, state: StateView): GateResult[] {
  const gates = [...frameFilled({ state }), ...(from === "shape" ? [filled("validation_plan", { state })] : [])];
  return gates.map(resultOf);
}

/** What of the contract leaves the frame to a model, as gates: nobody is paid for a frame that is there already. */
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

/** What is known only once the checks ran, or at the end of a pass. */
const notYetKnown = new Set(["checks_ran", "revalidated", "promise"]);

/** The gates of a move that need no check to run. */
export function gatesBesideChecks(from: Phase, to: Phase, input: GateInput): Gate[] {
  return judgeGates(from, to, { ...input, checks: null }).filter(({ code }) => !notYetKnown.has(code));
}
