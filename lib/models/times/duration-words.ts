const number = String.raw`\d+(?:\.\d+)?`;
const unit = "(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)(?![a-z])";
const part = String.raw`(?:${number}|an?(?=\s))\s*${unit}`;
const roughly = String.raw`(?:(?:about|around|approximately|less than|up to)\s+|~\s*)?`;

/** "try again in ~231 min", "resets in 2 days, 3 hours and 4 minutes", "wait 20 seconds". */
const wait = new RegExp(
  String.raw`(?:(?:try again|retry|retrying|resets?|wait|available(?: again)?)\s*(?:in|after|for)|\bwait)\s*:?\s*${roughly}(${part}(?:(?:\s*,)?\s*(?:and\s+)?${part})*)`,
  "i",
);
/** pi's words for a wait that is longer than it is let to wait. */
const asked = new RegExp(String.raw`\brequested\s+(?:an?\s+)?(${part})\s+(?:retry\s+)?(?:delay|wait)`, "i");
const each = new RegExp(String.raw`(${number}|an?(?=\s))\s*([a-z]+)`, "gi");
const unitMs: Readonly<Record<string, number>> = { s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3, w: 604_800e3 };

/** A wait that is told as a duration, in milliseconds; null if none is. */
export function readDuration(words: string): number | null {
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
