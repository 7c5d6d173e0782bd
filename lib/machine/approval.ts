import type { frameAnswer } from "../shapes/facts.ts";
import type { Shape } from "../text/shape.ts";
import { isFilled, type StateView } from "./state-view.ts";
import type { approvePhases } from "./words.ts";

export type ApprovePhase = (typeof approvePhases)[number];

/** What a person said about a frame, before anything is built in it. It holds for exactly these words. */
export type FrameAnswer = Shape<typeof frameAnswer>;

/** The question about a frame, until someone answers. */
export type FrameAsked = Pick<FrameAnswer, "frame" | "question">;

const frameKeys = ["objective", "done_gate", "not_doing", "reality_constraints", "validation_plan"] as const;

/** The fields that reviewers and a person judge before anything is built, as one text: another word in one of them is another frame. */
export function frameOf({ fields }: StateView): string {
  return JSON.stringify(frameKeys.map((key) => fields[key]));
}

/** True if every field of the frame is filled, so that it can be judged. */
export function hasFrame({ fields }: StateView): boolean {
  return frameKeys.every((key) => isFilled(key, fields[key]));
}

/** The newest answer to exactly this frame; null if nobody has answered. */
export function answerTo(frame: string, answers: readonly FrameAnswer[]): FrameAnswer | null {
  return answers.findLast((one) => one.frame === frame) ?? null;
}
