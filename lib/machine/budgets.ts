/** The scope of a budget: the passes of one task, of one call of the loop, or of one UTC day over all tasks. */
export type BudgetScope = "task" | "run" | "day";
export type BudgetKind = "passes" | "money" | "tokens" | "time";

/** The limits; null: no limit. Money in US dollars, tokens input and output together. */
export interface BudgetLimits {
  readonly passes: number | null;
  readonly moneyUsd: number | null;
  readonly tokens: number | null;
  readonly timeMs: number | null;
}

/** The amounts used, in the same units. */
export interface Usage {
  readonly passes: number;
  readonly moneyUsd: number;
  readonly tokens: number;
  readonly timeMs: number;
}

export const noUsage: Usage = { passes: 0, moneyUsd: 0, tokens: 0, timeMs: 0 };

export interface Budget {
  readonly scope: BudgetScope;
  readonly limits: BudgetLimits;
  readonly used: Usage;
}

/** The estimate of the next call; null if there is none. */
export interface NextCall {
  readonly estimateUsd: number | null;
  readonly tokens: number;
}

/** A budget that the next call may not touch any more. */
export interface SpentBudget {
  readonly scope: BudgetScope;
  readonly kind: BudgetKind;
  readonly used: number;
  readonly limit: number;
  /** What the next call would use, if that is what exceeds the limit; null if all of the budget is used. */
  readonly estimate: number | null;
}

export interface UsedShare {
  readonly scope: BudgetScope;
  readonly kind: BudgetKind;
  /** 0 to 1, and above 1 if more was used than allowed. */
  readonly share: number;
}

const entries = [
  ["passes", "passes"],
  ["money", "moneyUsd"],
  ["tokens", "tokens"],
  ["time", "timeMs"],
] as const;

/** Sums of decimal fractions are off by less than this; 0.1 + 0.2 must not exceed 0.3. */
const rounding = 1e-9;

/**
 * Every budget that is used up, or that the next call would exceed, in the order of the budgets; `next` is null as
 * long as no model is chosen. How long a pass will take nobody knows, so time is spent only when all of it is.
 */
export function findSpent(budgets: readonly Budget[], next: NextCall | null): SpentBudget[] {
  return measure(budgets).flatMap(({ scope, kind, used, limit }): SpentBudget[] => {
    if (used >= limit - rounding) return [{ scope, kind, used, limit, estimate: null }];
    const estimate = (kind === "money" ? next?.estimateUsd : kind === "tokens" ? next?.tokens : null) ?? null;
    return estimate !== null && used + estimate > limit + rounding ? [{ scope, kind, used, limit, estimate }] : [];
  });
}

/** How much of each budget in money, tokens and time is used. The number of passes says nothing of their cost. */
export function usedShares(budgets: readonly Budget[]): UsedShare[] {
  return measure(budgets)
    .filter(({ kind }) => kind !== "passes")
    .map(({ scope, kind, used, limit }) => ({ scope, kind, share: used / limit }));
}

/** The least that a budget of time has left, in milliseconds; null if none is set. */
export function timeLeft(budgets: readonly Budget[]): number | null {
  const left = measure(budgets).flatMap(({ kind, used, limit }) => (kind === "time" ? [limit - used] : []));
  return left.length === 0 ? null : Math.max(0, Math.min(...left));
}

/** As it is written in the brief, and for a run and a day in task-phase.yaml. */
export function keyOf({ scope, kind }: Pick<UsedShare, "scope" | "kind">): string {
  const name = kind === "money" ? "money_usd" : kind;
  return scope === "task" ? `budget.${name}` : `budget.${scope}.${name}`;
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    passes: one.passes + other.passes,
    moneyUsd: one.moneyUsd + other.moneyUsd,
    tokens: one.tokens + other.tokens,
    timeMs: one.timeMs + other.timeMs,
  };
}

function measure(budgets: readonly Budget[]) {
  return budgets.flatMap(({ scope, limits, used }) =>
    entries.flatMap(([kind, field]) => {
      const limit = limits[field];
      return limit === null ? [] : [{ scope, kind, used: used[field], limit }];
    }),
  );
}
