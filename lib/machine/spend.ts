import type { ModelEnd } from "./facts.ts";

/** What a task has spent, as the journal says. Amounts are US dollars. */
export interface Spend {
  /** The sum of what is known; null where nothing is. */
  readonly knownUsd: number | null;
  /** Passes that called a model and whose cost nobody reported. */
  readonly unknownPasses: number;
  /** What counts against a money budget: each pass's cost, or where that is unknown, what it was estimated at. */
  readonly chargedUsd: number;
  /** Of each model, by name: the known costs of its newest passes, oldest first, at most three. */
  readonly recent: Readonly<Record<string, readonly number[]>>;
  /** Models whose newest finished pass ended by itself and without a known cost. */
  readonly silent: readonly string[];
}

export const noSpend: Spend = { knownUsd: null, unknownPasses: 0, chargedUsd: 0, recent: {}, silent: [] };

export interface ModelCharge {
  readonly model: string | null;
  readonly costUsd: number | null;
  /** What was noted when the pass started. */
  readonly estimateUsd: number | null;
  readonly end: ModelEnd;
}

/** The spend after one more pass. */
export function addCharge(spend: Spend, charge: ModelCharge): Spend {
  const { costUsd, model } = charge;
  const unknown = costUsd === null && mayHaveCost(charge.end);
  const named = model === null ? spend : noteModel(spend, model, charge);
  return {
    ...named,
    knownUsd: costUsd === null ? spend.knownUsd : (spend.knownUsd ?? 0) + costUsd,
    unknownPasses: spend.unknownPasses + (unknown ? 1 : 0),
    chargedUsd: spend.chargedUsd + (costUsd ?? (unknown ? (charge.estimateUsd ?? 0) : 0)),
  };
}

function noteModel(spend: Spend, model: string, { costUsd, end }: ModelCharge): Spend {
  const others = spend.silent.filter((name) => name !== model);
  if (costUsd !== null) {
    const recent = [...(spend.recent[model] ?? []), costUsd].slice(-3);
    return { ...spend, recent: { ...spend.recent, [model]: recent }, silent: others };
  }
  return end.kind === "exited" ? { ...spend, silent: [...others, model] } : spend;
}

/** Nothing was called where it did not start, and a call that was turned away is not charged. */
function mayHaveCost(end: ModelEnd): boolean {
  return end.kind === "exited" || end.kind === "timed_out" || end.kind === "interrupted";
}

/** What the next pass of a model is taken to cost: what its configuration says, else the dearest of its last three. */
export function estimateOf(spend: Spend, model: string, configuredUsd: number | null): number | null {
  if (configuredUsd !== null) return configuredUsd;
  const recent = spend.recent[model] ?? [];
  return recent.length === 0 ? null : Math.max(...recent);
}

/** Why the next call would break the money budget; null where it would not. */
export function refuseMoney(spend: Spend, limitUsd: number, model: string, estimateUsd: number | null): string | null {
  const spent = `${dollars(spend.chargedUsd)} of ${dollars(limitUsd)} are spent`;
  if (reaches(spend.chargedUsd, limitUsd)) return `${spent}, all of \`budget.money_usd\``;
  if (estimateUsd === null || !exceeds(spend.chargedUsd + estimateUsd, limitUsd)) return null;
  return `${spent}, and the next pass, by ${model}, is estimated at ${dollars(estimateUsd)}, more than \`budget.money_usd\` has left`;
}

/** Sums of decimal fractions are off by less than this; 0.1 + 0.2 must not exceed 0.3. */
const roundingUsd = 1e-9;

function reaches(amount: number, limit: number): boolean {
  return amount >= limit - roundingUsd;
}

function exceeds(amount: number, limit: number): boolean {
  return amount > limit + roundingUsd;
}

/** Cents, and as much more as a small amount needs. */
export function dollars(amount: number): string {
  const cents = amount.toFixed(2);
  return `${Math.abs(Number(cents) - amount) < 5e-7 ? cents : Number(amount.toFixed(6)).toString()} USD`;
}
