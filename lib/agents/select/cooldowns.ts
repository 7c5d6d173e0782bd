import * as v from "valibot";
import { findLimit } from "../../rules/model-end.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { judgeShape, readShape, recordOf, type Shape } from "../../text/shape.ts";
import { shorten } from "../../text/shorten.ts";

/** Times are epoch seconds, as in cooldowns.json. */
export const cooldownNote = v.object({
  model: v.string(),
  until: v.number(),
  observedAt: v.number(),
  reason: v.string(),
  /** Consecutive earlier cooldowns of this model, in any task. */
  repeats: v.exactOptional(v.number()),
});
export type Cooldown = Shape<typeof cooldownNote>;

const epochSeconds = v.pipe(v.number(), v.finite());
export const cooldownShape = v.object({
  cooldown_until: epochSeconds,
  observed_at: epochSeconds,
  reason: v.string(),
  repeats: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});
/** Entries are judged one by one, so that a wrong one spoils no other. */
const fileSchema = recordOf(v.unknown());

export type ReadCooldowns = Readonly<ReturnType<typeof readCooldowns>>;

/** Weekly limits are real; later times are wrong, and must not stop a model forever. */
const longestSeconds = 7 * 24 * 60 * 60;
/** Tolerates another machine's clock or a rounded second. */
const clockSkewSeconds = 60;
/** After a day, a limit is no repetition. */
const forgottenSeconds = 24 * 60 * 60;
/** "In 2 s" may be over when the pass is. */
const staleMs = 60_000;
const reasonLength = 300;

/** Asks at most once a minute, even if the provider repeats "in 2 s". */
const shortestSeconds = 60;
/** Doubling stops here: the shortest plan limits end after some hours. */
const longestDoubled = 4 * 60 * 60;

/** Until the provider's time (ISO 8601), else for the model's own. Each of `repeats` doubles that, and the minimum. */
export function cooldownAfter(
  limit: { readonly reason: string; readonly until: string | null },
  model: { readonly name: string; readonly cooldownMs: number },
  now: Date,
  repeats = 0,
): Cooldown {
  const observedAt = Math.floor(now.getTime() / 1_000);
  const given = limit.until === null ? Number.NaN : Date.parse(limit.until);
  // A time long past is wrong: trusting it would repeat the call forever.
  const believed = given >= now.getTime() - staleMs;
  const own = Math.max(model.cooldownMs / 1_000, doubled(model.cooldownMs / 1_000, repeats));
  const until = Math.ceil(believed ? given / 1_000 : now.getTime() / 1_000 + own);
  const shortest = observedAt + doubled(shortestSeconds, repeats);
  return {
    model: model.name,
    until: Math.min(Math.max(until, shortest), observedAt + longestSeconds),
    observedAt,
    reason: shorten(limit.reason, reasonLength),
    ...(repeats === 0 ? {} : { repeats }),
  };
}

/** Null if none. The model's earlier one, if still in force, means that another runner met the same limit. */
export function cooldownOf(
  event: Pick<VerdictEvent, "at" | "end" | "reasons">,
  model: { readonly name: string; readonly cooldownMs: number },
  { active, ended }: Pick<ReadCooldowns, "active" | "ended">,
): Cooldown | null {
  const limit = findLimit(event);
  if (limit === null) return null;
  const before = [...active, ...ended].find((one) => one.model === model.name);
  const at = new Date(event.at);
  const repeated = before !== undefined && before.until * 1_000 <= at.getTime();
  return cooldownAfter(limit, model, at, (before?.repeats ?? 0) + (repeated ? 1 : 0));
}

function doubled(seconds: number, repeats: number): number {
  return Math.min(seconds * 2 ** Math.min(repeats, 32), longestDoubled);
}

/**
 * `bytes`: null without a file. `ended`: those that ended within the last day without success since; the next one is a
 * repetition. Ignores malformed entries, and those observed in the future, which `problem` names.
 */
export function readCooldowns(bytes: Buffer | null, now: Date) {
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

/** For one model, the later end counts. */
export function addCooldown(active: readonly Cooldown[], added: Cooldown): readonly Cooldown[] {
  const earlier = active.find(({ model }) => model === added.model);
  if (earlier !== undefined && earlier.until >= added.until) return active;
  return [...active.filter((entry) => entry !== earlier), added];
}

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
