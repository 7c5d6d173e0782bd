import type { CheckRun } from "./check-run.ts";
import type { TaskHistory } from "./history.ts";
import { plural } from "./wording.ts";

/**
 * The check run of the accepted verify → review, marked as reused, if it covers the present code and contract and is at
 * most `freshMs` old by a clock that did not run backwards. Null: the checks must run again.
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

/** A result cannot be reused before the reusing pass has started. */
function isFresh({ ran, at, fresh_ms: most }: NonNullable<CheckRun["taken"]>, startedAt: string | null): boolean {
  const age = Date.parse(at) - Date.parse(ran);
  return most > 0 && age >= 0 && age <= most && (startedAt === null || Date.parse(at) >= Date.parse(startedAt));
}

/** For example `checks of pass 4, 6 minutes earlier, on the same code`. */
export function renderTaken({ pass, ran, at }: NonNullable<CheckRun["taken"]>): string {
  // Never `0 seconds`.
  const seconds = Math.max(1, Math.round((Date.parse(at) - Date.parse(ran)) / 1000));
  const age = seconds < 60 ? plural(seconds, "second") : plural(Math.round(seconds / 60), "minute");
  return `checks of pass ${pass}, ${age} earlier, on the same code`;
}
