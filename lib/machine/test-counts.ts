import type { CheckResult, TestCounts, WatchedChange } from "./facts.ts";

/** The most tests that a check ever ran, by the check and its exact command. */
export type KnownCounts = Readonly<Record<string, { readonly ran: number; readonly log: string }>>;

/** The known counts after another run; the first of equal ones stays. */
export function noteCounts(known: KnownCounts, results: readonly CheckResult[]): KnownCounts {
  const next = { ...known };
  for (const result of results) {
    if (result.tests === undefined) continue;
    const before = countBefore(next, result);
    if (before === null || result.tests.ran > before.ran)
      next[keyOf(result)] = { ran: result.tests.ran, log: result.log };
  }
  return next;
}

/**
 * The checks that ran fewer tests than at the baseline or in an earlier run of the same command. Only where both
 * outputs told the count: a person's answer then holds for exactly this one.
 */
export function findFewerTests(known: KnownCounts, results: readonly CheckResult[]): Omit<WatchedChange, "answer">[] {
  return results.flatMap((result) => {
    const before = countBefore(known, result);
    if (result.tests === undefined || !runsFewer(result.tests, before) || before === null) return [];
    return [
      {
        name: `${result.kind} ${result.name}`,
        kind: "count",
        change: "fewer",
        detail: `${tests(result.tests.ran)} now (${result.log}), ${tests(before.ran)} before (${before.log})`,
        digest: `${result.tests.ran} tests`,
      },
    ];
  });
}

/** True if some required check that passed tells no count of tests, or a lower one than before. */
export function countsInDoubt(known: KnownCounts, results: readonly CheckResult[]): boolean {
  return results.some(
    (result) => result.required && (result.tests === undefined || runsFewer(result.tests, countBefore(known, result))),
  );
}

function runsFewer(now: TestCounts, before: { readonly ran: number } | null): boolean {
  return before !== null && now.ran < before.ran;
}

function countBefore(known: KnownCounts, result: CheckResult): KnownCounts[string] | null {
  const key = keyOf(result);
  return Object.hasOwn(known, key) ? (known[key] ?? null) : null;
}

function keyOf({ kind, name, command = [] }: CheckResult): string {
  return JSON.stringify([kind, name, command]);
}

function tests(count: number): string {
  return count === 1 ? "1 test" : `${count} tests`;
}
