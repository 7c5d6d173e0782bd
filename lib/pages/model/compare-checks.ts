import type { CheckResult } from "../../rules/check-run.ts";
import { requiredChecks } from "../../rules/matrix.ts";

export interface ComparedCheck {
  readonly name: string;
  readonly kind: CheckResult["kind"];
  readonly required: boolean;
  /** Null if it did not run before the work. */
  readonly before: CheckResult | null;
  /** Null if it has not run since, or the contract has it no more. */
  readonly now: CheckResult | null;
}

/** The checks that ran now, in their order, then the ones that only ran before the work. */
export function compareChecks(
  earlier: readonly CheckResult[] | null,
  now: readonly CheckResult[] | null,
): ComparedCheck[] {
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
