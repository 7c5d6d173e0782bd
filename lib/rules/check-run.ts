import type { Shape } from "../text/shape.ts";
import type { checkResult, checkRun } from "./shapes/facts.ts";
import { plural } from "./wording.ts";
import type { attributions, checkStatuses } from "./words.ts";
export type CheckStatus = (typeof checkStatuses)[number];
export type Attribution = (typeof attributions)[number];

export type TestCounts = NonNullable<CheckResult["tests"]>;

export type CheckFailure = NonNullable<CheckResult["failure"]>;

export type CheckResult = Shape<typeof checkResult>;

export type CheckRun = Shape<typeof checkRun>;

export function isSameCheck(one: CheckResult, other: CheckResult): boolean {
  return one.name === other.name && one.kind === other.kind;
}

/** Required checks that did not pass, in a run or a cell of the matrix. */
export function failedChecks({ results }: { readonly results: readonly CheckResult[] }): readonly CheckResult[] {
  return results.filter((result) => result.required && result.status !== "pass");
}

/** Why a check failed, in a few words; null if its output gives none. */
export function whyFailed({ unmet, status, failure }: CheckResult): string | null {
  return unmet ?? (status === "timeout" ? "it ran out of time" : (failure?.said ?? null));
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
 * Required checks that passed with fewer tests than another run, not counting skipped ones: such a run has judged
 * nothing. For example `tests ran 1 test`, with the number of the other run. Without a count there is no comparison.
 */
export function ranFewer(
  results: readonly CheckResult[],
  other: readonly CheckResult[],
): readonly { readonly name: string; readonly said: string; readonly wanted: number }[] {
  return results.flatMap(({ name, kind, required, status, tests }) => {
    const wanted = other.find((one) => one.name === name && one.kind === kind)?.tests?.ran ?? 0;
    const ran = tests?.ran ?? 0;
    if (!required || status !== "pass" || ran >= wanted) return [];
    return [{ name, said: `${name} ran ${plural(ran, "test")}`, wanted }];
  });
}

/** Compares the failed tests with the run before the work, if that one passed or named its failed tests too. */
export function attributeTests(results: readonly CheckResult[], before: readonly CheckResult[]): CheckResult[] {
  return results.map((result): CheckResult => {
    const was = before.find(({ name, kind }) => name === result.name && kind === result.kind);
    const { failure } = result;
    const earlier = was?.status === "pass" ? [] : (was?.failure?.tests ?? []);
    if (failure === undefined || failure.tests.length === 0 || (was?.status !== "pass" && earlier.length === 0))
      return result;
    return {
      ...result,
      failure: { ...failure, broken_before: failure.tests.filter((test) => earlier.includes(test)) },
    };
  });
}

const mostTests = 5;

/** The tests of a failed check that did not fail before the work; empty if they cannot be told apart. */
export function regressedTests({ failure }: Pick<CheckResult, "failure">): readonly string[] {
  const broken = failure?.broken_before;
  return broken === undefined ? [] : (failure?.tests ?? []).filter((test) => !broken.includes(test));
}

/**
 * For example `broken before: widget renders; regressed: lower`, or the attribution of the whole check; may be empty.
 */
export function renderAttribution(check: Pick<CheckResult, "attribution" | "failure">): string {
  const broken = check.failure?.broken_before;
  if (broken === undefined) return check.attribution?.replaceAll("_", " ") ?? "";
  const listed = (word: string, tests: readonly string[]) =>
    tests.length === 0 ? [] : [`${word}: ${nameTests(tests, mostTests)}`];
  return [...listed("broken before", broken), ...listed("regressed", regressedTests(check))].join("; ");
}

/** For example `rounds up, rounds down and 2 more`. */
export function nameTests(tests: readonly string[], most: number): string {
  return `${tests.slice(0, most).join(", ")}${tests.length > most ? ` and ${tests.length - most} more` : ""}`;
}
