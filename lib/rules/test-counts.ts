import type { CheckResult, TestCounts } from "./check-run.ts";
import { isHeldOut, type MatrixFacts, unfailing } from "./matrix.ts";
import type { WatchedChange } from "./watched.ts";
import { plural } from "./wording.ts";

/** The most tests ever run, by check and exact command. */
export type KnownCounts = Readonly<Record<string, KnownCount>>;

interface KnownCount {
  readonly ran: number;
  readonly log: string;
  /** Before the work it passed with failed tests in its output. */
  readonly forgives: boolean;
}

/** The first of equal counts stays. */
export function mergeCounts(
  known: KnownCounts,
  results: readonly CheckResult[],
  from: "before" | "later" = "later",
): KnownCounts {
  const next = { ...known };
  for (const result of results) {
    if (result.tests === undefined) continue;
    const before = countBefore(next, result);
    const forgives = before?.forgives === true || (from === "before" && passesWithFailures(result));
    const isMore = before === null || result.tests.ran > before.ran;
    next[keyOf(result)] = { ...(isMore ? { ran: result.tests.ran, log: result.log } : before), forgives };
  }
  return next;
}

/** Needs a known count of the identical command, since a person's answer applies to that one only. */
export function findFewerTests(known: KnownCounts, results: readonly CheckResult[]): Omit<WatchedChange, "answer">[] {
  return results.flatMap((result) => {
    const before = countBefore(known, result);
    if (result.tests === undefined || !runsFewer(result.tests, before) || before === null) return [];
    return [
      {
        name: `${result.kind} ${result.name}`,
        kind: "count",
        change: "fewer",
        side: "outside",
        detail: `${plural(result.tests.ran, "test")} now (${result.log}), ${plural(before.ran, "test")} before (${before.log})`,
        digest: `${result.tests.ran} tests`,
      },
    ];
  });
}

/**
 * Whether a lower count comes from tests that the brief names alone: the checks of pass 1 but for those run no more tests,
 * nor do the present ones without the work, so that nothing in the work ends them early.
 */
export function isFewerByNamed(matrix: MatrixFacts | null, { name, kind, tests: now }: CheckResult): boolean {
  const countIn = (cell: MatrixFacts["without"] | undefined) =>
    cell?.results.find((one) => one.name === name && one.kind === kind)?.tests?.ran;
  const old = countIn(matrix?.old_checks);
  return now !== undefined && old !== undefined && old <= now.ran && (countIn(matrix?.without) ?? 0) <= now.ran;
}

/** The files of tests that decide the grade, are unchanged since pass 1, and pass whatever they expect. */
export function findUnfailing(
  matrix: Pick<MatrixFacts, "wrong_checks"> | null,
  digestOf: (path: string) => string,
): Omit<WatchedChange, "answer">[] {
  const stood = matrix === null ? [] : unfailing(matrix).filter((version) => version.stood === true);
  return [...new Set(stood.map(({ path }) => path))].map((name) => ({
    name,
    kind: "test",
    change: "unfailing",
    side: "outside",
    detail: `no check notices ${stood
      .filter(({ path }) => path === name)
      .map(({ line, was, made }) => `line ${line}: ${was} made ${made}`)
      .join("; ")}`,
    digest: digestOf(name),
  }));
}

/**
 * Failures that were forgiven as if something had ended the test runner's process. Leaves out those that did so before
 * the work.
 */
export function findForgiven(known: KnownCounts, results: readonly CheckResult[]): Omit<WatchedChange, "answer">[] {
  return results.flatMap((result) => {
    if (!isForgiven(known, result)) return [];
    const failed = result.tests?.failed ?? 0;
    return [
      {
        name: `${result.kind} ${result.name}`,
        kind: "count",
        change: "changed",
        side: "outside",
        detail: `its output reports ${failed} failed ${failed === 1 ? "test" : "tests"}, but its exit code is 0 (${result.log})`,
        digest: `${failed} failed of ${result.tests?.ran ?? 0}`,
      },
    ];
  });
}

/** Whether a required check passed with no count, a lower one than before, or failed tests. */
export function countsInDoubt(known: KnownCounts, results: readonly CheckResult[]): boolean {
  return results.some(
    (result) =>
      result.required &&
      (result.tests === undefined || runsFewer(result.tests, countBefore(known, result)) || isForgiven(known, result)),
  );
}

/** A required held-out check without a count, or with fewer tests than without the work, may not have finished. */
export function heldOutInDoubt(matrix: MatrixFacts | null): boolean {
  const held = matrix?.clean?.results.filter((result) => isHeldOut(result) && result.required) ?? [];
  return held.some(({ name, status, tests: now }) => {
    if (status !== "pass") return false;
    const without = matrix?.without?.results.find((one) => isHeldOut(one) && one.name === name)?.tests;
    return now === undefined || (without !== undefined && now.ran < without.ran);
  });
}

function isForgiven(known: KnownCounts, result: CheckResult): boolean {
  return passesWithFailures(result) && countBefore(known, result)?.forgives !== true;
}

function passesWithFailures({ status, tests: counted }: CheckResult): boolean {
  return status === "pass" && counted !== undefined && counted.failed > 0;
}

function runsFewer(now: TestCounts, before: { readonly ran: number } | null): boolean {
  return before !== null && now.ran < before.ran;
}

function countBefore(known: KnownCounts, result: CheckResult): KnownCounts[string] | null {
  const key = keyOf(result);
  return Object.hasOwn(known, key) ? (known[key] ?? null) : null;
}

function keyOf({ kind, name, command }: CheckResult): string {
  return JSON.stringify([kind, name, command]);
}
