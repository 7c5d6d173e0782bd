import { notLongAgo, readClock } from "./clock-words.ts";

/** Longer text contains stack traces or pages. */
const longestText = 4_000;

/**
 * When to try again, such as "try again in 1m30s", "resets Mon 9am (UTC)" or `"resets_in_seconds":60`: epoch
 * milliseconds, never before `now`. For the text of a final error only.
 */
export function readWait(text: string, now: number): number | null {
  const words = text.slice(0, longestText);
  const time = readFields(words, now);
  if (time !== null) return time;
  const waitMs = readDuration(words);
  return waitMs === null ? readClock(words, now) : now + waitMs;
}

const quote = String.raw`\\?["']?`;

function field(names: string, value: string): RegExp {
  return new RegExp(String.raw`\b(?:${names})${quote}\s*[:=]\s*${quote}${value}`, "i");
}

/** A bare number is seconds, as in a header. */
const seconds = field(
  "retry[-_]after|resets?_in_seconds|resets?_after_seconds|retry_?delay",
  String.raw`(\d+(?:\.\d+)?)(?:s\b)?(?![\d.a-z])`,
);
const milliseconds = field("retry[-_]after[-_]ms|resets?_in_ms", String.raw`(\d+(?:\.\d+)?)(?![\d.a-z])`);
const epoch = field("resets?_?at", String.raw`(\d{10}(?:\d{3})?)(?!\d)`);
const iso = field(
  "resets?_?at",
  String.raw`(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}))`,
);
/** "Claude AI usage limit reached|1749924000", also as a time to come back at. */
const bare = /(?:\||\b(?:resets?|try again|until)\s+(?:at\s+)?)(\d{10}(?:\d{3})?)(?!\d)/i;

function readFields(words: string, now: number): number | null {
  const wait = numberIn(seconds, words);
  if (wait !== null) return now + Math.ceil(wait * 1_000);
  const ms = numberIn(milliseconds, words);
  if (ms !== null) return now + Math.ceil(ms);
  const digits = (epoch.exec(words) ?? bare.exec(words))?.[1];
  if (digits !== undefined) return notLongAgo(Number(digits) * (digits.length === 10 ? 1_000 : 1), now);
  const date = iso.exec(words)?.[1];
  return date === undefined ? null : notLongAgo(Date.parse(date), now);
}

function numberIn(pattern: RegExp, words: string): number | null {
  const found = pattern.exec(words)?.[1];
  return found === undefined ? null : Number(found);
}

const number = String.raw`\d+(?:\.\d+)?`;
const unit = "(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)(?![a-z])";
const part = String.raw`(?:${number}|an?(?=\s))\s*${unit}`;
const roughly = String.raw`(?:(?:about|around|approximately|less than|up to)\s+|~\s*)?`;

/** "try again in ~231 min", "resets in 2 days, 3 hours and 4 minutes", "wait 20 seconds". */
const wait = new RegExp(
  String.raw`(?:(?:try again|retry|retrying|resets?|wait|available(?: again)?)\s*(?:in|after|for)|\bwait)\s*:?\s*${roughly}(${part}(?:(?:\s*,)?\s*(?:and\s+)?${part})*)`,
  "i",
);
/** pi's words for a wait beyond its limit. */
const asked = new RegExp(String.raw`\brequested\s+(?:an?\s+)?(${part})\s+(?:retry\s+)?(?:delay|wait)`, "i");
const each = new RegExp(String.raw`(${number}|an?(?=\s))\s*([a-z]+)`, "gi");
const unitMs: Readonly<Record<string, number>> = { s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3, w: 604_800e3 };

/** Milliseconds of a wait given as a duration. */
function readDuration(words: string): number | null {
  const found = wait.exec(words)?.[1] ?? asked.exec(words)?.[1];
  if (found === undefined) return null;
  let total = 0;
  for (const [, amount = "", name = ""] of found.replace(/\band\b/gi, " ").matchAll(each)) {
    total += (/^a/i.test(amount) ? 1 : Number(amount)) * sizeOf(name.toLowerCase());
  }
  return Math.ceil(total);
}

function sizeOf(name: string): number {
  return name === "ms" || name.startsWith("milli") ? 1 : (unitMs[name.charAt(0)] ?? 0);
}
