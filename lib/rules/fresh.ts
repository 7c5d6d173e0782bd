import type { CheckRun } from "./check-run.ts";
import type { TaskHistory } from "./history.ts";

/**
 * The run of the accepted verify → review, marked as taken over, if it still says what a new one would: on the same code
 * and contract, at most `freshMs` ago by a clock that did not run backwards. Null: the checks run anew.
 */
export function takeFresh(
  { reviewed, startedAt }: Pick<TaskHistory, "reviewed" | "startedAt">,
  now: { readonly fingerprint: string; readonly contract: string; readonly freshMs: number; readonly at: string },
): CheckRun | null {
  const { checks: run = null, pass = 0, at: ran = "" } = reviewed ?? {};
  if (run === null || run.fingerprint_after !== now.fingerprint || run.contract !== now.contract) return null;
  const taken = { pass, ran, at: now.at, fresh_ms: now.freshMs };
  return isFresh(taken, startedAt) ? { ...run, taken } : null;
}

/** Why the journal before a verdict does not support that its checks were taken over; null if it does, or if they ran. */
export function judgeTaken(
  { taken, ...run }: CheckRun,
  { reviewed, startedAt }: Pick<TaskHistory, "reviewed" | "startedAt">,
): string | null {
  if (taken === undefined) return null;
  const claims = `it takes over the checks of pass ${taken.pass}`;
  if (reviewed?.pass !== taken.pass || reviewed.at !== taken.ran)
    return `${claims}, but the accepted verify → review before it is ${reviewed === null ? "none" : `pass ${reviewed.pass}, ${reviewed.at}`}`;
  if (JSON.stringify(reviewed.checks) !== JSON.stringify(run)) return `${claims}, but those were others`;
  return isFresh(taken, startedAt) ? null : `${claims}, which were not fresh at ${taken.at}`;
}

/** Nothing is taken over before the pass that does so has started. */
function isFresh({ ran, at, fresh_ms: most }: NonNullable<CheckRun["taken"]>, startedAt: string | null): boolean {
  const age = Date.parse(at) - Date.parse(ran);
  return most > 0 && age >= 0 && age <= most && (startedAt === null || Date.parse(at) >= Date.parse(startedAt));
}

/** As `checks of pass 4, 6 minutes ago, on the same code`. */
export function renderTaken({ pass, ran, at }: NonNullable<CheckRun["taken"]>): string {
  const seconds = Math.round((Date.parse(at) - Date.parse(ran)) / 1000);
  const [count, unit] = seconds < 60 ? [seconds, "second"] : [Math.round(seconds / 60), "minute"];
  return `checks of pass ${pass}, ${count} ${unit}${count === 1 ? "" : "s"} ago, on the same code`;
}
