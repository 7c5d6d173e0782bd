import type { CheckResult, CheckRun } from "./facts.ts";

/** The required checks of a run, or of a cell of the square, that did not pass. */
export function failedChecks({ results }: { readonly results: readonly CheckResult[] }): readonly CheckResult[] {
  return results.filter((result) => result.required && result.status !== "pass");
}

/**
 * The fingerprint is the judge; the paths only name what moved. Whether a second attempt would have moved the repo too
 * is not known where the first one failed: its failure is what counts then.
 */
export function stoodStill(checks: CheckRun): boolean {
  if (checks.failed_first === true) return true;
  return checks.moved.length === 0 && checks.fingerprint_before === checks.fingerprint_after;
}

/** All required checks passed, and the repo stood still under them. */
export function checksHold(checks: CheckRun): boolean {
  return failedChecks(checks).length === 0 && stoodStill(checks);
}
