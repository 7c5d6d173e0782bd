import { findZone, instantsOf, type WallClock, wallClock, type Zone, zonePattern } from "./zone-clock.ts";

const beginning =
  /\b(?:resets?|try again|retry(?:[- ]after)?|available(?: again)?|come back|until)\b["'\s:]*(?:(?:at|on|after|by)\b\s*)?/gi;
const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const dayMs = 24 * 60 * 60_000;

const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:[T\s]\s*|,\s*|(?=\D|$))/;
const weekday = /^(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?\b\.?/i;
const nearDay = /^(today|tomorrow)\b/i;
const monthDay = /^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![\d:])(?:,?\s+(\d{4})(?![\d:]))?/i;
const dayMonth = /^(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]{3,9})\.?(?:,?\s+(\d{4})(?![\d:]))?/i;
const between = /^[\s,]*(?:at\b)?[\s,]*/i;
const twelveHours = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])\.?m\b\.?/i;
const fullHours = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?(?!\d|\s*[ap]\.?m\b)/i;
const zoneBehind = new RegExp(String.raw`^\s*(?:\(([^)]{1,40})\)|(${zonePattern}))`);

type Day =
  | { readonly kind: "date"; readonly year: number | null; readonly month: number; readonly day: number }
  | { readonly kind: "weekday"; readonly weekday: number }
  | { readonly kind: "in_days"; readonly days: number };

interface Clock {
  /** Null: today or tomorrow, whichever is next. */
  readonly day: Day | null;
  /** Milliseconds of the day; null if only a day is named. */
  readonly timeMs: number | null;
  readonly zone: Zone;
}

/**
 * The time of day or day to come back at, with or without a zone, such as "4pm", "Thursday at 12:00 AM", "Nov 25, 15:30
 * (Europe/Berlin)" or "Dec 1". Null if there is none, or it is past.
 */
export function readClock(words: string, now: number): number | null {
  for (const found of words.matchAll(beginning)) {
    const clock = parseClock(words.slice(found.index + found[0].length, found.index + found[0].length + 100));
    if (clock !== null) return instantOf(clock, now);
  }
  return null;
}

function parseClock(text: string): Clock | null {
  let rest = text;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest);
    if (found !== null) rest = rest.slice(found[0].length);
    return found;
  };
  const day = takeDay(take);
  if (day === undefined) return null;
  if (day !== null) take(between);
  const timeMs = takeTime(take);
  if (timeMs === undefined || (day === null && timeMs === null)) return null;
  const zoned = zoneBehind.exec(rest);
  const zone = findZone(zoned?.[1] ?? zoned?.[2]);
  return zone === null ? null : { day, timeMs, zone };
}

type Take = (pattern: RegExp) => RegExpExecArray | null;

/** Undefined for an impossible day. A weekday before a date adds nothing. */
function takeDay(take: Take): Day | null | undefined {
  const iso = take(isoDate);
  if (iso !== null) return dateOf(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]));
  const near = take(nearDay);
  if (near !== null) return { kind: "in_days", days: near[1]?.toLowerCase() === "today" ? 0 : 1 };
  const named = take(weekday)?.[1]?.slice(0, 3).toLowerCase();
  if (named !== undefined) take(/^[\s,]*(?=[a-z]{3,9}\.?\s+\d|\d{1,2}\s+[a-z])/i);
  const western = take(monthDay);
  const other = western === null ? take(dayMonth) : null;
  if (western !== null) return dateOf(yearOf(western[3]), monthOf(western[1]), Number(western[2]));
  if (other !== null) return dateOf(yearOf(other[3]), monthOf(other[2]), Number(other[1]));
  return named === undefined ? null : { kind: "weekday", weekday: weekdays.indexOf(named) };
}

function dateOf(year: number | null, month: number, day: number): Day | undefined {
  return month < 0 || month > 11 || day < 1 || day > 31 ? undefined : { kind: "date", year, month, day };
}

function yearOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

function monthOf(name = ""): number {
  return months.indexOf(name.slice(0, 3).toLowerCase());
}

/** Undefined for an impossible time. */
function takeTime(take: Take): number | null | undefined {
  const half = take(twelveHours);
  const full = half === null ? take(fullHours) : null;
  if (half === null && full === null) return null;
  const [hour, minute, second] = [Number(half?.[1] ?? full?.[1]), Number(half?.[2] ?? full?.[2] ?? 0), full?.[3] ?? 0];
  if (minute > 59 || Number(second) > 59 || hour > (half === null ? 23 : 12)) return undefined;
  const hours = half === null ? hour : (hour % 12) + (half[3]?.toLowerCase() === "p" ? 12 : 0);
  return ((hours * 60 + minute) * 60 + Number(second)) * 1_000;
}

function instantOf({ day, timeMs, zone }: Clock, now: number): number | null {
  const today = wallClock(now, zone);
  const at = (dayShown: number): number | null => {
    const instants = instantsOf(dayShown + (timeMs ?? 0), zone);
    const coming = instants.find((instant) => instant >= now);
    return coming ?? instants.map((instant) => notLongAgo(instant, now)).find((instant) => instant !== null) ?? null;
  };
  const inDays = (days: number): number | null => at(Date.UTC(today.year, today.month, today.day + days));
  if (day === null) return inDays(0) ?? inDays(1);
  switch (day.kind) {
    case "in_days":
      return inDays(day.days);
    case "weekday": {
      const days = (day.weekday - today.weekday + 7) % 7;
      return inDays(days) ?? inDays(days + 7);
    }
    case "date":
      return at(Date.UTC(yearNear(day, today), day.month, day.day));
  }
}

/** Text rounds to a minute or second, and is read a moment later. */
const justBegunMs = 2 * 60_000;

/** A time that has just passed is now; older ones give null. */
export function notLongAgo(time: number, now: number): number | null {
  return time >= now ? time : now - time <= justBegunMs ? now : null;
}

/** A date long past without a year is next year's. */
function yearNear({ year, month, day }: Day & { kind: "date" }, today: WallClock): number {
  if (year !== null) return year;
  return today.shown - Date.UTC(today.year, month, day) > 180 * dayMs ? today.year + 1 : today.year;
}
