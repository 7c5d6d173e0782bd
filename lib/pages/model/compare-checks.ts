import type { CheckResult } from "../../rules/check-run.ts";
import { requiredChecks } from "../../rules/matrix.ts";

export type ComparedCheck = ReturnType<typeof compareChecks>[number];

/**
 * The checks that ran now, in their order, then the ones that only ran before the work. `before` is null if a check did not
 * run then, and `now` if it has not run since, or the contract has it no more.
 */
export function compareChecks(earlier: readonly CheckResult[] | null, now: readonly CheckResult[] | null) {
  const before = new Map((earlier ?? []).map((result) => [result.name, result]));
  const names = new Set((now ?? []).map(({ name }) => name));
  const gone = (earlier ?? []).filter(({ name }) => !names.has(name));
  return [
    ...(now ?? []).map((result) => ({
      ...nameOf(result),
      before: before.get(result.name) ?? null,
      now: result,
    })),
    ...gone.map((result) => ({ ...nameOf(result), before: result, now: null })),
  ];
}

function nameOf({ name, kind, required }: CheckResult) {
  return { name, kind, required };
}

/** How many of the required checks passed, and how many ran, as the headline counts them. */
export function countRequired(...ran: Parameters<typeof requiredChecks>): {
  readonly passed: number;
  readonly ran: number;
} {
  const required = requiredChecks(...ran);
  return { passed: required.filter((result) => result.status === "pass").length, ran: required.length };
}
