import { isSignalExit } from "../machine/exits.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { AsideModel, PassReport } from "../task/request.ts";

/** The loop's next step after one call of a pass. */
export type NextStep =
  /** Go on, with this task or another one. `aside`: asking that model again in this call would come to the same. */
  | { readonly kind: "go_on"; readonly aside: AsideModel | null }
  /** Every model cools down until then. */
  | { readonly kind: "wait"; readonly until: Date; readonly reason: string }
  /** This task cannot continue in this call; others may. */
  | { readonly kind: "leave"; readonly exitName: ExitName; readonly reason: string }
  /** Nothing continues in this call. */
  | { readonly kind: "stop"; readonly exitName: ExitName; readonly reason: string };

/**
 * The rules of the loop. A failed pass is tried again: the runner itself stops the task after the retries of the
 * contract. What ends nothing and is not counted as a pass is never repeated forever: a limit and a model that gave no
 * sign of work start a cooldown, the third timeout of a model at work stops the task, and a model that came to nothing
 * is not asked again in this call.
 */
export function afterPass(report: PassReport): NextStep {
  const { exit_name: exitName, reason, next_eligible_at: next } = report;
  const { end, aborted, escalated } = report.details;
  if (isSignalExit(exitName)) return { kind: "stop", exitName, reason };
  // Whatever its pass came to: a person wants an end now, and of all tasks.
  if (aborted) return { kind: "stop", exitName: "paused", reason: describeAbort(report) };
  if (end?.kind === "interrupted") {
    return end.cause === "skip" ? { kind: "go_on", aside: null } : { kind: "stop", exitName, reason };
  }
  if (report.verdict === null) return afterNoPass(report);
  if (escalated !== null || isSettled(report)) return { kind: "leave", exitName, reason };
  if (report.verdict !== "unavailable") return { kind: "go_on", aside: null };
  if (next !== null) return { kind: "wait", until: new Date(next), reason };
  return { kind: "go_on", aside: asideAfter(report) };
}

function describeAbort({ verdict, reason, details: { end } }: PassReport): string {
  if (verdict === null || end?.kind === "interrupted") return reason;
  return `a person's ABORT in CONTROL.md, read when the pass already had its result: ${reason}`;
}

/** The model, if it could not be asked or came to nothing, and no cooldown keeps it from being asked again. */
function asideAfter({ model, reason, details: { end } }: PassReport): AsideModel | null {
  const rests = end === null || end.kind === "limited" || end.kind === "timed_out";
  return rests || model === null ? null : { name: model, reason };
}

function isSettled({ to }: PassReport): boolean {
  return to === "done" || to === "blocked" || to === "needs_user_decision";
}

function afterNoPass(report: PassReport): NextStep {
  const { exit_name: exitName, reason, next_eligible_at: next } = report;
  if (exitName === "unavailable" && next !== null) return { kind: "wait", until: new Date(next), reason };
  // The budget of a run or a day: no task is the cause, and none can continue.
  if (exitName === "budget" && report.details.escalated === null) return { kind: "stop", exitName, reason };
  return { kind: "leave", exitName, reason };
}
