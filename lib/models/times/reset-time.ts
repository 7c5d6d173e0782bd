import { readClock } from "./clock-words.ts";
import { readDuration } from "./duration-words.ts";
import { readFields } from "./reset-fields.ts";

/** Longer text contains stack traces or pages. */
const longestText = 4_000;

/**
 * When a text says that it will be better, such as "try again in 1m30s", "resets Mon 9am (UTC)" or
 * `"resets_in_seconds":60`: epoch milliseconds, never before `now`; null if it says nothing. For the text of a final
 * error only.
 */
export function readWait(text: string, now: number): number | null {
  const words = text.slice(0, longestText);
  const time = readFields(words, now);
  if (time !== null) return time;
  const waitMs = readDuration(words);
  return waitMs === null ? readClock(words, now) : now + waitMs;
}
