import type { TaskEvent } from "./events.ts";
import type { TaskHistory } from "./history.ts";
import { isWorkingPhase, type Phase } from "./phases.ts";

/** Remembers the asking phase, so that an answer leads back to it. */
export function moveTo(history: TaskHistory, to: Phase): TaskHistory {
  const asked =
    to === "needs_user_decision" && history.phase !== "needs_user_decision" ? history.phase : history.askedFrom;
  const stops = history.phase !== null && isWorkingPhase(history.phase) && !isWorkingPhase(to);
  return { ...history, phase: to, askedFrom: asked, stoppedIn: stops ? history.phase : history.stoppedIn };
}

export function entersRepair(from: Phase, to: Phase): boolean {
  return to === "repair" && from !== "repair";
}

/**
 * An answer to a pass's question resets no counter, or asking would buy repairs. An answer to the runner's question
 * permits another try. Verified work stays so: review continues where it asked.
 */
export function answer(before: TaskHistory, after: TaskHistory): TaskHistory {
  if (before.stop === null) return after;
  const { reviewedFingerprint, reviewed, matrix, checked } = after;
  return { ...reopen(after), reviewedFingerprint, reviewed, matrix, checked };
}

/** Lifting a mere cancellation keeps what the working task has shown. */
export function resume(history: TaskHistory, event: Extract<TaskEvent, { type: "resumed" }>): TaskHistory {
  const moved = moveTo({ ...history, state: event.state }, event.to);
  return liftsCancel(history, event.from, event.to) ? moved : reopen(moved);
}

/** Whether `resume` continues a cancelled task where it was. */
export function liftsCancel({ cancelled, stop }: Pick<TaskHistory, "cancelled" | "stop">, from: Phase, to: Phase) {
  return cancelled !== null && stop === null && from === to && isWorkingPhase(from);
}

/** Clears the counters of repairs and retries, and the runner's Blockers; spent passes and money stay. */
export function reopen(history: TaskHistory): TaskHistory {
  return {
    ...history,
    counts: { ...history.counts, repairs: 0, failure: null, timeouts_in_row: 0 },
    reviewedFingerprint: null,
    reviewed: null,
    checked: [],
    checks: null,
    matrix: null,
    stop: null,
  };
}
