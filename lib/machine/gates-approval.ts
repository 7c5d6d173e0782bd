import { answerTo, frameOf } from "./approval.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";

/** A frame that a person did not approve is not built. If nobody has answered yet, there is no such gate: one is asked. */
export function frameApproved({ policy, state, approvals }: GateInput): Gate[] {
  const answer = policy.approve.includes("shape") ? answerTo(frameOf(state), approvals) : null;
  if (answer === null) return [];
  return [
    gate(
      "frame_approved",
      "A person approved the frame",
      answer.approved,
      answer.approved ? `approved (${answer.question})` : answer.said,
      `a person did not approve this frame (${answer.question}): ${answer.said}; change it accordingly`,
    ),
  ];
}
