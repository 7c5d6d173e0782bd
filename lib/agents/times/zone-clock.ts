import { orElse } from "../../text/attempt.ts";

/** Hours from UTC; the two-letter ones follow their zone's summer time. */
const hours: Readonly<Record<string, number>> = {
  ...{ UTC: 0, GMT: 0, Z: 0, WET: 0, WEST: 1, BST: 1, CET: 1, CEST: 2, EET: 2, EEST: 3, MSK: 3, IST: 5.5 },
  ...{ SGT: 8, HKT: 8, AWST: 8, JST: 9, KST: 9, AEST: 10, AEDT: 11, NZST: 12, NZDT: 13, BRT: -3, ART: -3 },
  ...{ EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7, AKST: -9, AKDT: -8, HST: -10 },
};
const places: Readonly<Record<string, string>> = {
  ...{ ET: "America/New_York", CT: "America/Chicago", MT: "America/Denver", PT: "America/Los_Angeles" },
};
const names = [...Object.keys(hours), ...Object.keys(places)].sort((one, other) => other.length - one.length).join("|");
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A zone without brackets: `UTC`, `GMT-3`, `UTC+05:30`, `EST`. */
export const zonePattern = String.raw`(?:(?:UTC|GMT)\s?[+-]\d{1,2}(?::?\d{2})?|[+-]\d{2}:?\d{2}|(?:${names}))(?![\w/])`;

/** `name` undefined: the runner's own. */
export type Zone =
  | { readonly kind: "fixed"; readonly offsetMs: number }
  | { readonly kind: "named"; readonly name: string | undefined };

export type WallClock = Readonly<ReturnType<typeof wallClock>>;

export function findZone(name: string | undefined): Zone | null {
  if (name === undefined) return { kind: "named", name };
  const word = name.trim();
  const offset = /^(?:UTC|GMT)?\s?([+-])(\d{1,2}):?(\d{2})?$/i.exec(word);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
    return { kind: "fixed", offsetMs: (offset[1] === "-" ? -minutes : minutes) * minuteMs };
  }
  const fixed = hours[word.toUpperCase()];
  if (fixed !== undefined) return { kind: "fixed", offsetMs: fixed * 60 * minuteMs };
  const place = places[word.toUpperCase()] ?? word;
  return orElse(() => formatOf(place), null) === null ? null : { kind: "named", name: place };
}

/** Months count from 0, weekdays from Sunday, 0. `shown`: local time as if it were UTC, in epoch milliseconds. */
export function wallClock(instant: number, zone: Zone) {
  const shown = zone.kind === "fixed" ? instant + zone.offsetMs : shownIn(instant, zone.name);
  const date = new Date(shown);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    shown,
  };
}

/** In order: two if the clock is set back over it. A skipped time counts as if the clock had not changed. */
export function instantsOf(shown: number, zone: Zone): readonly number[] {
  const offsetAt = (instant: number): number => wallClock(instant, zone).shown - instant;
  const found = [offsetAt(shown - dayMs), offsetAt(shown + dayMs)].map((offset) => shown - offset);
  const right = [...new Set(found)].filter((instant) => wallClock(instant, zone).shown === shown);
  return right.length > 0 ? right.sort((one, other) => one - other) : found.slice(0, 1);
}

const formats = new Map<string | undefined, Intl.DateTimeFormat>();

/** Cached by zone: creating one costs more than all the rest. */
function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const format = formats.get(timeZone) ?? makeFormat(timeZone);
  if (timeZone !== undefined) formats.set(timeZone, format);
  return format;
}

function makeFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  });
}

function shownIn(instant: number, timeZone: string | undefined): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const [year, month, day] = [part("year"), part("month") - 1, part("day")];
  const milliseconds = ((instant % 1_000) + 1_000) % 1_000;
  return Date.UTC(year, month, day, part("hour"), part("minute"), part("second")) + milliseconds;
}
