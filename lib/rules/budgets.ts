import type { DegradeStep } from "./events.ts";
import { degradeSteps } from "./words.ts";

/** `day` is a UTC day over all tasks. */
export type BudgetScope = "task" | "run" | "day";
export type BudgetKind = "passes" | "money" | "tokens" | "time";

/** Null: no limit. Money in US dollars, tokens input plus output. */
export interface BudgetLimits {
  readonly passes: number | null;
  readonly moneyUsd: number | null;
  readonly tokens: number | null;
  readonly timeMs: number | null;
}

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

export interface NextCall {
  readonly estimateUsd: number | null;
  readonly tokens: number;
}

export interface SpentBudget {
  readonly scope: BudgetScope;
  readonly kind: BudgetKind;
  readonly used: number;
  readonly limit: number;
  /** The expected use of the next call if it exceeds the limit; null if the budget is used up. */
  readonly estimate: number | null;
}

export interface UsedShare {
  readonly scope: BudgetScope;
  readonly kind: BudgetKind;
  /** Above 1 if more was used than allowed. */
  readonly share: number;
}

const entries = [
  ["passes", "passes"],
  ["money", "moneyUsd"],
  ["tokens", "tokens"],
  ["time", "timeMs"],
] as const;

/** Bounds the error of decimal sums: 0.1 + 0.2 must not exceed 0.3. */
const rounding = 1e-9;

/**
 * Budgets that are used up or that the next call would exceed, in order; `next` is null until a model is chosen. A
 * pass's duration is unknown, so time is spent only when all of it is.
 */
export function findSpent(budgets: readonly Budget[], next: NextCall | null): SpentBudget[] {
  return measure(budgets).flatMap(({ scope, kind, used, limit }): SpentBudget[] => {
    if (used >= limit - rounding) return [{ scope, kind, used, limit, estimate: null }];
    const estimate = (kind === "money" ? next?.estimateUsd : kind === "tokens" ? next?.tokens : null) ?? null;
    return estimate !== null && used + estimate > limit + rounding ? [{ scope, kind, used, limit, estimate }] : [];
  });
}

/** Money, tokens and time: the number of passes says nothing about cost. */
export function usedShares(budgets: readonly Budget[]): UsedShare[] {
  return measure(budgets)
    .filter(({ kind }) => kind !== "passes")
    .map(({ scope, kind, used, limit }) => ({ scope, kind, share: used / limit }));
}

/** Milliseconds; null without a budget of time. */
export function timeLeft(budgets: readonly Budget[]): number | null {
  const left = measure(budgets).flatMap(({ kind, used, limit }) => (kind === "time" ? [limit - used] : []));
  return left.length === 0 ? null : Math.max(0, Math.min(...left));
}

/** The key in the brief or, for a run or day, in task-phase.yaml. */
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

export interface DegradeInput {
  /** The share from which passes become cheaper; null: never. */
  readonly over: number | null;
  readonly shares: readonly UsedShare[];
  readonly current: readonly DegradeStep[];
  readonly tried: boolean;
}

export interface Degrading {
  readonly steps: readonly DegradeStep[];
  readonly reason: string;
}

/** Adds one step while a budget is nearly used up; otherwise none. */
export function chooseSteps({ over, shares, current, tried }: DegradeInput): Degrading {
  if (over === null) return { steps: [], reason: "`degrade` is switched off" };
  const [fullest] = [...shares].sort((one, other) => other.share - one.share);
  if (fullest === undefined || fullest.share < over - rounding)
    return { steps: [], reason: `no budget is ${percent(over)} used any longer` };
  const reason = `\`${keyOf(fullest)}\` of the ${fullest.scope} is ${percent(fullest.share)} used`;
  return { steps: degradeSteps.slice(0, current.length === 0 || tried ? current.length + 1 : current.length), reason };
}

/** Rounded down: 99.9 % is not all of it. */
function percent(share: number): string {
  return `${Math.floor(share * 100 + rounding)} %`;
}
