import type { Shape } from "../text/shape.ts";
import type { frameAnswer } from "./shapes/facts.ts";
import { isFilled, type StateView } from "./state-view.ts";
import type { approvePhases } from "./words.ts";

export type ApprovePhase = (typeof approvePhases)[number];

/** For exactly these words of a frame, before anything is built in it. */
export type FrameAnswer = Shape<typeof frameAnswer>;

/** Until someone answers. */
export type FrameAsked = Pick<FrameAnswer, "frame" | "question">;

const frameKeys = ["objective", "done_gate", "not_doing", "reality_constraints", "validation_plan"] as const;

/** The fields judged before anything is built, as one text: any other word makes another frame. */
export function frameOf({ fields }: StateView): string {
  return JSON.stringify(frameKeys.map((key) => fields[key]));
}

export function hasFrame({ fields }: StateView): boolean {
  return frameKeys.every((key) => isFilled(key, fields[key]));
}

/** The newest answer to exactly this frame. */
export function answerTo(frame: string, answers: readonly FrameAnswer[]): FrameAnswer | null {
  return answers.findLast((one) => one.frame === frame) ?? null;
}

/** A person said yes to the frame that STATE.md has now. */
export function isApproved(state: StateView, approvals: readonly FrameAnswer[]): boolean {
  return answerTo(frameOf(state), approvals)?.approved === true;
}
