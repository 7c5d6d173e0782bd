import * as v from "valibot";
import { findRest } from "../../machine/model-end.ts";
import type { VerdictEvent } from "../../machine/verdict-event.ts";
import { judgeShape, readShape, recordOf, type Shape } from "../../text/shape.ts";
import { shorten } from "../../text/shorten.ts";

/** A model that is not called for a while. Times are epoch seconds, as in cooldowns.json. */
export interface Cooldown {
  readonly model: string;
  readonly until: number;
  readonly observedAt: number;
  readonly reason: string;
  /** How many rests of this model in a row came before it, in any task; missing for none. */
  readonly repeats?: number;
}

const epochSeconds = v.pipe(v.number(), v.finite());
/** One model in cooldowns.json, under its name. */
export const cooldownShape = v.object({
  cooldown_until: epochSeconds,
  observed_at: epochSeconds,
  reason: v.string(),
  repeats: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});
/** Each entry is judged by itself: one that is wrong takes no other with it. */
const fileSchema = recordOf(v.unknown());

export interface ReadCooldowns {
  /** The cooldowns in force, by model name. */
  readonly active: readonly Cooldown[];
  /** Those that ended within the last day, of models that came to nothing since: the next rest is a repetition. */
  readonly ended: readonly Cooldown[];
  /** The problem with the file; null if there is none. What it says wrongly counts for nothing. */
  readonly problem: string | null;
}

/** Weekly limits are real; anything later is taken for a wrong time, which must not stop a model forever. */
const longestSeconds = 7 * 24 * 60 * 60;
/** By so much the clock of another machine, or a rounded second, may be ahead of this one. */
const clockSkewSeconds = 60;
/** A limit of yesterday is no repetition today. */
const forgottenSeconds = 24 * 60 * 60;
/** "In 2 s" may be over when the pass is. */
const staleMs = 60_000;
const reasonLength = 300;

/** A provider that says "in 2 s" again and again is asked once a minute at most. */
const shortestSeconds = 60;
/** Doubling alone makes no cooldown longer: the plans with the shortest limits give calls back after some hours. */
const longestDoubled = 4 * 60 * 60;

/** What starts a cooldown: a limit, or a model that never answered. */
export interface Rest {
  readonly reason: string;
  /** When the provider says it ends, ISO 8601; null if it does not say. */
  readonly until: string | null;
}

/**
 * The cooldown that a rest starts: until the provider's time if it gave one, else for the model's own time. `repeats`
 * counts the rests of this model in a row before it: each doubles the model's own time, and the shortest time that
 * counts whatever the provider says.
 */
export function cooldownAfter(
  rest: Rest,
  model: { readonly name: string; readonly cooldownMs: number },
  now: Date,
  repeats = 0,
): Cooldown {
  const observedAt = Math.floor(now.getTime() / 1_000);
  const given = rest.until === null ? Number.NaN : Date.parse(rest.until);
  // A time long gone is a wrong clock or a wrong time: trusted, the model would be called again at once, forever.
  const believed = given >= now.getTime() - staleMs;
  const own = Math.max(model.cooldownMs / 1_000, doubled(model.cooldownMs / 1_000, repeats));
  const until = Math.ceil(believed ? given / 1_000 : now.getTime() / 1_000 + own);
  const shortest = observedAt + doubled(shortestSeconds, repeats);
  return {
    model: model.name,
    until: Math.min(Math.max(until, shortest), observedAt + longestSeconds),
    observedAt,
    reason: shorten(rest.reason, reasonLength),
    ...(repeats === 0 ? {} : { repeats }),
  };
}

/**
 * The cooldown that the end of a pass starts for its model; null if it starts none. Of those before it, the model's own
 * counts: if it was still in force, another runner met the same limit.
 */
export function cooldownOf(
  event: Pick<VerdictEvent, "at" | "end" | "reasons">,
  model: { readonly name: string; readonly cooldownMs: number },
  { active, ended }: Pick<ReadCooldowns, "active" | "ended">,
): Cooldown | null {
  const rest = findRest(event);
  if (rest === null) return null;
  const before = [...active, ...ended].find((one) => one.model === model.name);
  const at = new Date(event.at);
  const repeated = before !== undefined && before.until * 1_000 <= at.getTime();
  return cooldownAfter(rest, model, at, (before?.repeats ?? 0) + (repeated ? 1 : 0));
}

function doubled(seconds: number, repeats: number): number {
  return Math.min(seconds * 2 ** Math.min(repeats, 32), longestDoubled);
}

/**
 * The bytes of cooldowns.json; null if there is no such file. An entry that was observed in the future, as after the
 * clock was set back, holds for nothing; neither does one that is malformed.
 */
export function readCooldowns(bytes: Buffer | null, now: Date): ReadCooldowns {
  if (bytes === null) return { active: [], ended: [], problem: null };
  const file = readShape(fileSchema, bytes);
  if (file.kind === "wrong")
    return { active: [], ended: [], problem: "it is not a JSON object, so it has no cooldowns" };
  const seconds = now.getTime() / 1_000;
  const entries = Object.entries(file.value);
  const read = entries.map(([model, value]) => readEntry(model, value));
  const past = read
    .filter((entry) => entry !== null)
    .filter(({ observedAt }) => observedAt <= seconds + clockSkewSeconds);
  const active = past.filter(({ until }) => seconds < until);
  const ended = past.filter(({ until }) => until <= seconds && seconds < until + forgottenSeconds);
  const bad = entries.flatMap(([model], index) => (read[index] === null ? [shorten(model)] : []));
  const future = read.flatMap((entry) =>
    entry !== null && entry.observedAt > seconds + clockSkewSeconds ? [shorten(entry.model)] : [],
  );
  const what = "an entry needs cooldown_until and observed_at, both in seconds since 1970, and a reason";
  const problems = [
    ...(bad.length === 0 ? [] : [`${bad.join(", ")}: ${what}`]),
    ...(future.length === 0 ? [] : [`${future.join(", ")}: observed_at, in seconds since 1970, is in the future`]),
  ];
  return { active, ended, problem: problems.length === 0 ? null : problems.join("; ") };
}

/** The cooldowns with one more; of two for one model the one that ends later counts. */
export function addCooldown(active: readonly Cooldown[], added: Cooldown): readonly Cooldown[] {
  const earlier = active.find(({ model }) => model === added.model);
  if (earlier !== undefined && earlier.until >= added.until) return active;
  return [...active.filter((entry) => entry !== earlier), added];
}

/** The text of cooldowns.json, models by name. */
export function formatCooldowns(cooldowns: readonly Cooldown[]): string {
  const sorted = [...cooldowns].sort((left, right) => (left.model < right.model ? -1 : 1));
  const entries = sorted.map(({ model, until, observedAt, reason, repeats }): [string, Shape<typeof cooldownShape>] => [
    model,
    { cooldown_until: until, observed_at: observedAt, reason, ...(repeats === undefined ? {} : { repeats }) },
  ]);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

function readEntry(model: string, value: unknown): Cooldown | null {
  const read = judgeShape(cooldownShape, value);
  if (read.kind === "wrong") return null;
  const { cooldown_until: until, observed_at: observedAt, reason, repeats } = read.value;
  return {
    model,
    until: Math.min(until, observedAt + longestSeconds),
    observedAt,
    reason: shorten(reason, reasonLength),
    ...(repeats === undefined ? {} : { repeats }),
  };
}
