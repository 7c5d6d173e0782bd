import type { ModelEnd } from "./model-end.ts";

/** The spend of a task by its journal. Amounts are US dollars. */
export interface Spend {
  /** The sum of what is known; null if nothing is. */
  readonly knownUsd: number | null;
  /** Passes that called a model and whose cost nobody reported. */
  readonly unknownPasses: number;
  /**
   * The amount that counts against a money budget: each pass's cost, or if that is unknown, what it was estimated at.
   */
  readonly chargedUsd: number;
  /** The known costs of each model's newest passes, by model name, oldest first, at most three. */
  readonly recent: Readonly<Record<string, readonly number[]>>;
  /** Input and output of all passes, as far as they are known. */
  readonly tokens: number;
  /** The known tokens of each model's newest passes, by model name, oldest first, at most three. */
  readonly recentTokens: Readonly<Record<string, readonly number[]>>;
  /** The sum of the passes' durations, in milliseconds. */
  readonly timeMs: number;
  /** Models whose newest finished pass ended by itself and without a known cost. */
  readonly silent: readonly string[];
}

export const noSpend: Spend = {
  knownUsd: null,
  unknownPasses: 0,
  chargedUsd: 0,
  recent: {},
  tokens: 0,
  recentTokens: {},
  timeMs: 0,
  silent: [],
};

export interface ModelCharge {
  readonly model: string | null;
  readonly costUsd: number | null;
  /** The facts recorded when the pass started. */
  readonly estimateUsd: number | null;
  readonly end: ModelEnd;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly durationMs: number;
}

/** The spend after one more pass. */
export function addCharge(spend: Spend, charge: ModelCharge): Spend {
  const { costUsd, model } = charge;
  const tokens = sumTokens(charge.tokens);
  const unknown = costUsd === null && mayHaveCost(charge.end);
  const named = model === null ? spend : recordModel(spend, model, charge);
  return {
    ...named,
    knownUsd: costUsd === null ? spend.knownUsd : (spend.knownUsd ?? 0) + costUsd,
    unknownPasses: spend.unknownPasses + (unknown ? 1 : 0),
    chargedUsd: spend.chargedUsd + (costUsd ?? (unknown ? (charge.estimateUsd ?? 0) : 0)),
    tokens: spend.tokens + (tokens ?? 0),
    recentTokens:
      model === null || tokens === null
        ? spend.recentTokens
        : { ...spend.recentTokens, [model]: [...amountsOf(spend.recentTokens, model), tokens].slice(-3) },
    // A clock that was set back during a pass must not give time back.
    timeMs: spend.timeMs + Math.max(0, charge.durationMs),
  };
}

function sumTokens({ input, output }: ModelCharge["tokens"]): number | null {
  return input === null && output === null ? null : (input ?? 0) + (output ?? 0);
}

function recordModel(spend: Spend, model: string, { costUsd, end }: ModelCharge): Spend {
  const others = spend.silent.filter((name) => name !== model);
  if (costUsd !== null) {
    const recent = [...amountsOf(spend.recent, model), costUsd].slice(-3);
    return { ...spend, recent: { ...spend.recent, [model]: recent }, silent: others };
  }
  return end.kind === "exited" ? { ...spend, silent: [...others, model] } : spend;
}

/** Nothing was called if it did not start, and a call that was turned away is not charged. */
export function mayHaveCost(end: ModelEnd): boolean {
  if (end.kind === "timed_out") return end.role === undefined;
  return end.kind === "exited" || end.kind === "interrupted";
}

/** The estimated cost of a model's next pass: its configured estimate, else the dearest of its last three. */
export function estimateOf(spend: Spend, model: string, configuredUsd: number | null): number | null {
  if (configuredUsd !== null) return configuredUsd;
  const recent = amountsOf(spend.recent, model);
  return recent.length === 0 ? null : Math.max(...recent);
}

/** A journal that was made by hand may name a model `constructor`, which every record seems to have. */
function amountsOf(record: Spend["recent"], model: string): readonly number[] {
  return (Object.hasOwn(record, model) ? record[model] : undefined) ?? [];
}

/** The same in tokens, input and output together; 0 if nothing is known. */
export function estimateTokens(spend: Spend, model: string): number {
  return Math.max(0, ...amountsOf(spend.recentTokens, model));
}

/** `0.25 USD`. A dollar sign would have to be escaped in Markdown. */
export function dollars(amount: number): string {
  return `${dollarFigure(amount)} USD`;
}

/** Cents, and as much more as a small amount needs. */
export function dollarFigure(amount: number): string {
  const cents = amount.toFixed(2);
  return Math.abs(Number(cents) - amount) < 5e-7 ? cents : Number(amount.toFixed(6)).toString();
}
