import type { checkResult, checkRun } from "../shapes/facts.ts";
import type { Shape } from "../text/shape.ts";
import type { attributions, checkStatuses } from "./words.ts";
export type CheckStatus = (typeof checkStatuses)[number];
export type Attribution = (typeof attributions)[number];

/** The test counts in a check's own output. */
export type TestCounts = NonNullable<CheckResult["tests"]>;

/** The result of one validator or scenario. */
export type CheckResult = Shape<typeof checkResult>;

/** One run of the whole set. */
export type CheckRun = Shape<typeof checkRun>;

/** The required checks of a run, or of a cell of the square, that did not pass. */
export function failedChecks({ results }: { readonly results: readonly CheckResult[] }): readonly CheckResult[] {
  return results.filter((result) => result.required && result.status !== "pass");
}

/**
 * The fingerprint is the judge; the paths only name what moved. Whether a second attempt would have moved the repo too
 * is not known if the first one failed: its failure is what counts then.
 */
export function stoodStill(checks: CheckRun): boolean {
  if (checks.failed_first === true) return true;
  return checks.moved.length === 0 && checks.fingerprint_before === checks.fingerprint_after;
}

/** All required checks passed, and the repo did not change while they ran. */
export function checksHold(checks: CheckRun): boolean {
  return failedChecks(checks).length === 0 && stoodStill(checks);
}
