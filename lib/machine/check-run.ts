import type { checkResult, checkRun } from "../shapes/facts.ts";
import type { Shape } from "../text/shape.ts";
import type { attributions, checkStatuses } from "./words.ts";
export type CheckStatus = (typeof checkStatuses)[number];
export type Attribution = (typeof attributions)[number];

export type TestCounts = NonNullable<CheckResult["tests"]>;

export type CheckFailure = NonNullable<CheckResult["failure"]>;

export type CheckResult = Shape<typeof checkResult>;

export type CheckRun = Shape<typeof checkRun>;

/** Required checks that did not pass, in a run or a cell of the square. */
export function failedChecks({ results }: { readonly results: readonly CheckResult[] }): readonly CheckResult[] {
  return results.filter((result) => result.required && result.status !== "pass");
}

/** The fingerprint decides; paths only name what moved. A failed first attempt counts for itself. */
export function stoodStill(checks: CheckRun): boolean {
  if (checks.failed_first === true) return true;
  return checks.moved.length === 0 && checks.fingerprint_before === checks.fingerprint_after;
}

export function checksHold(checks: CheckRun): boolean {
  return failedChecks(checks).length === 0 && stoodStill(checks);
}

/**
 * The required checks that passed with fewer tests than in another run, skipped ones not counted: such a run has judged
 * nothing. As `tests ran 1 test` and the number of the other run. A run that printed no count is compared with nothing.
 */
export function ranFewer(
  results: readonly CheckResult[],
  other: readonly CheckResult[],
): readonly { readonly name: string; readonly said: string; readonly wanted: number }[] {
  return results.flatMap(({ name, kind, required, status, tests }) => {
    const wanted = other.find((one) => one.name === name && one.kind === kind)?.tests?.ran ?? 0;
    const ran = tests?.ran ?? 0;
    if (!required || status !== "pass" || ran >= wanted) return [];
    return [{ name, said: `${name} ran ${ran === 1 ? "1 test" : `${ran} tests`}`, wanted }];
  });
}
