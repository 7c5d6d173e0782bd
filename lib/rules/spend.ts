import type { ModelEnd } from "./model-end.ts";

/** US dollars. */
export interface Spend {
  readonly knownUsd: number | null;
  /** Calls of a model, also by reviewers, whose cost was not reported. */
  readonly unknownPasses: number;
  /** Counts against a money budget: each pass's cost, or its estimate if that is unknown. */
  readonly chargedUsd: number;
  /** Known costs of each model's newest passes, oldest first, at most three. */
  readonly recent: Readonly<Record<string, readonly number[]>>;
  /** Input and output, as far as known. */
  readonly tokens: number;
  /** Known tokens of each model's newest passes, oldest first, at most three. */
  readonly recentTokens: Readonly<Record<string, readonly number[]>>;
  /** All passes, in milliseconds. */
  readonly timeMs: number;
  /** Models whose newest finished pass ended by itself without a known cost. */
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
  readonly estimateUsd: number | null;
  readonly end: ModelEnd;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly durationMs: number;
}

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
    // A clock set back must not give time back.
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

/** False without a model, for one that did not start, and where its call was turned away. */
export function mayHaveCost(end: ModelEnd): boolean {
  if (end.kind === "timed_out") return end.role === undefined;
  return end.kind === "exited" || end.kind === "interrupted";
}

/** The configured estimate, else the highest of the last three. */
export function estimateOf(spend: Spend, model: string, configuredUsd: number | null): number | null {
  if (configuredUsd !== null) return configuredUsd;
  const recent = amountsOf(spend.recent, model);
  return recent.length === 0 ? null : Math.max(...recent);
}

/** A handmade journal may name a model `constructor`, which every object has. */
function amountsOf(record: Spend["recent"], model: string): readonly number[] {
  return (Object.hasOwn(record, model) ? record[model] : undefined) ?? [];
}

export function estimateTokens(spend: Spend, model: string): number {
  return Math.max(0, ...amountsOf(spend.recentTokens, model));
}

/** `0.25 USD`; a dollar sign would need escaping in Markdown. */
export function dollars(amount: number): string {
  return `${dollarFigure(amount)} USD`;
}

/** Cents, with more digits for small amounts. */
function dollarFigure(amount: number): string {
  const cents = amount.toFixed(2);
  return Math.abs(Number(cents) - amount) < 5e-7 ? cents : Number(amount.toFixed(6)).toString();
}
