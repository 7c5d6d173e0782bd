import type { TaskHistory } from "./history.ts";
import type { Phase } from "./phases.ts";
import { isUnblocked } from "./state-view.ts";

/** The facts that decide whether a task stands still until a person acts. */
export interface RetryFacts {
  readonly phase: Phase | null;
  readonly history: Pick<TaskHistory, "stop" | "cancelled">;
  /** Of STATE.md. */
  readonly blockers: string;
  /** The open ones of DECISIONS.md; `ofStop`: the runner itself asks how to continue after its stop. */
  readonly questions: readonly { readonly ofStop: boolean }[];
}

/** In intake the table has no way out: the runner holds a task that it stopped there until Blockers are cleared. */
export function isHeld({ phase, history, blockers }: Omit<RetryFacts, "questions">): boolean {
  return phase === "intake" && history.stop !== null && !isUnblocked(blockers);
}

/**
 * True if a person's RETRY brings a task on that stands still: one that was cancelled, is blocked or held, or waits for
 * nothing but a person's leave to continue. A question about the work itself needs its answer.
 */
export function retryContinues(facts: RetryFacts): boolean {
  const { phase, history, questions } = facts;
  if (phase === "done") return false;
  if (history.cancelled !== null || phase === "blocked" || isHeld(facts)) return true;
  return phase === "needs_user_decision" && questions.every(({ ofStop }) => ofStop);
}
