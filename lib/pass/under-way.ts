import type { Phase } from "../machine/phases.ts";
import type { StageTime } from "./ports.ts";

/** The pass that is under way, for what is told of it while it runs. */
export interface PassUnderWay {
  readonly pass: number;
  readonly phase: Phase;
  readonly model: string;
  readonly startedAt: Date;
  /** Of the model. */
  readonly timeoutMs: number;
  /** So far; empty before EXEC. */
  readonly stages: readonly StageTime[];
}
