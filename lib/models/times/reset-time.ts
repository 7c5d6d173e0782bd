/** Longer text contains stack traces or pages. */
const longestText = 4_000;

/**
 * When a text says that it will be better, such as "try again in 1m30s" or "resets 12:40am (UTC)": epoch milliseconds,
 * never before `now`; null if it says nothing. For the text of a final error only.
 */
export function readWait(text: string, now: number): number | null {
  const words = text.slice(0, longestText);
  const waitMs = readDuration(words);
  return waitMs === null ? readClock(words, now) : now + waitMs;
}

const wait =
  /(?:try again|retry|retrying|resets?|wait)\s*(?:in|after)\s*:?\s*((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)(?![a-z])\s*)+)/i;
/** As in a header: a bare number is seconds. */
const retryAfter = /\bretry-after["']?\s*[:=]\s*["']?(\d+(?:\.\d+)?)(?![\d.a-z])/i;
const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function readDuration(words: string): number | null {
  const found = wait.exec(words)?.[1];
  if (found === undefined) {
    const seconds = retryAfter.exec(words)?.[1];
    return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
  }
  let total = 0;
  for (const [, amount, unit = ""] of found.matchAll(/([\d.]+)\s*([a-z]+)/gi)) total += Number(amount) * sizeOf(unit);
  return Math.ceil(total);
}

function sizeOf(unit: string): number {
  const word = unit.toLowerCase();
  return word === "ms" || word.startsWith("milli") ? 1 : (unitMs[word.charAt(0)] ?? 0);
}

/**
 * A time of day, with or without a day and a zone: "4pm", "Nov 25, 4:30pm (Europe/Berlin)", "Nov 22nd, 2026 12:25 AM".
 */
const clock =
  /(?:resets?|try again|retry)\s+(?:at\s+|on\s+)?(?:([A-Z][a-z]{2})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4}),?\s+)?(?:at\s+)?)?(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b(?:\.?\s*\(([^)]{1,40})\))?/i;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayMs = 86_400_000;

function readClock(words: string, now: number): number | null {
  const found = clock.exec(words);
  if (found === null) return null;
  const [, month, day, year, hour, minute, half, zone] = found;
  const today = wallClock(now, zone);
  if (today === null) return null;
  const monthIndex = month === undefined ? today.month : months.indexOf(month.toLowerCase());
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === "p" ? 12 : 0);
  if (monthIndex < 0 || Number(hour) > 12 || Number(minute ?? 0) > 59) return null;
  const at = (inYear: number, plusDays: number): number =>
    instantOf(Date.UTC(inYear, monthIndex, Number(day ?? today.day) + plusDays, hours, Number(minute ?? 0)), zone);
  const first = at(Number(year ?? today.year), 0);
  if (first >= now) return first;
  // A time of day that has passed is tomorrow's; a date without a year that has passed is next year's.
  if (month === undefined) return at(today.year, 1);
  if (year === undefined && now - first > 180 * dayMs) return at(today.year + 1, 0);
  // It names minutes: the one that has just begun is now. What is long over says nothing.
  return now - first <= 2 * 60_000 ? now : null;
}

interface WallClock {
  readonly year: number;
  /** 0 is January. */
  readonly month: number;
  readonly day: number;
  /** The local time as if it were UTC, in epoch milliseconds. */
  readonly shown: number;
}

/** The local time in a zone; without a zone, in the runner's own. Null for a zone that nobody knows. */
function wallClock(instant: number, zone: string | undefined): WallClock | null {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      ...(zone === undefined ? {} : { timeZone: zone }),
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
    const [year, month, day] = [part("year"), part("month") - 1, part("day")];
    return { year, month, day, shown: Date.UTC(year, month, day, part("hour"), part("minute"), part("second")) };
  } catch {
    return null;
  }
}

/** The instant at which a clock in the zone shows this. Asked twice, since the offset may change in between. */
function instantOf(shown: number, zone: string | undefined): number {
  const offsetAt = (instant: number): number =>
    (wallClock(instant, zone)?.shown ?? instant) - Math.floor(instant / 1_000) * 1_000;
  return shown - offsetAt(shown - offsetAt(shown));
}
