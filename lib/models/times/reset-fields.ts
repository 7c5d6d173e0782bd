const quote = String.raw`\\?["']?`;

function field(names: string, value: string): RegExp {
  return new RegExp(String.raw`\b(?:${names})${quote}\s*[:=]\s*${quote}${value}`, "i");
}

/** As in a header: a bare number is seconds. */
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
/** "Claude AI usage limit reached|1749924000", and the same as a time to come back at. */
const bare = /(?:\||\b(?:resets?|try again|until)\s+(?:at\s+)?)(\d{10}(?:\d{3})?)(?!\d)/i;

/** Rounded to a whole minute or second, and read a moment later. */
const justBegunMs = 2 * 60_000;

/** The time that a field of the provider's answer gives, even where the answer is quoted; null if there is none. */
export function readFields(words: string, now: number): number | null {
  const wait = numberIn(seconds, words);
  if (wait !== null) return now + Math.ceil(wait * 1_000);
  const ms = numberIn(milliseconds, words);
  if (ms !== null) return now + Math.ceil(ms);
  const digits = (epoch.exec(words) ?? bare.exec(words))?.[1];
  if (digits !== undefined) return notLongAgo(Number(digits) * (digits.length === 10 ? 1_000 : 1), now);
  const date = iso.exec(words)?.[1];
  return date === undefined ? null : notLongAgo(Date.parse(date), now);
}

/** A time that has just come is now; what is long over says nothing. */
export function notLongAgo(time: number, now: number): number | null {
  return time >= now ? time : now - time <= justBegunMs ? now : null;
}

function numberIn(pattern: RegExp, words: string): number | null {
  const found = pattern.exec(words)?.[1];
  return found === undefined ? null : Number(found);
}
