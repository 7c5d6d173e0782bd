import { isFilled, type StateView } from "./state-view.ts";

/** Where a person's leave may be asked for. */
export const approvePhases = ["shape"] as const;
export type ApprovePhase = (typeof approvePhases)[number];

/** What a person said about a frame, before anything is built in it. It holds for exactly these words. */
export interface FrameAnswer {
  /** What `frameOf` gave. */
  readonly frame: string;
  readonly approved: boolean;
  /** In the person's words, redacted and shortened. */
  readonly said: string;
  /** The id of the question in DECISIONS.md. */
  readonly question: string;
}

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
