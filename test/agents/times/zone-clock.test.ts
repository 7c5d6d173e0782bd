import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readWait } from "../../../lib/agents/times/reset-time.ts";
import { findZone, instantsOf, wallClock } from "../../../lib/agents/times/zone-clock.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** As it is written, and the zone that it means. */
const zones = [
  ["(Europe/Berlin)", "Europe/Berlin"],
  ["(Europe/London)", "Europe/London"],
  ["(America/New_York)", "America/New_York"],
  ["(America/St_Johns)", "America/St_Johns"],
  ["(Australia/Lord_Howe)", "Australia/Lord_Howe"],
  ["(Pacific/Auckland)", "Pacific/Auckland"],
  ["(Asia/Calcutta)", "Asia/Calcutta"],
  ["(America/Sao_Paulo)", "America/Sao_Paulo"],
  ["PT", "America/Los_Angeles"],
  ["ET", "America/New_York"],
  ["EST", "Etc/GMT+5"],
  ["CEST", "Etc/GMT-2"],
  ["UTC", "UTC"],
  ["(UTC)", "UTC"],
  ["GMT-3", "Etc/GMT+3"],
  ["UTC+0530", "Asia/Calcutta"],
] as const;

const known = new Map<string, Intl.DateTimeFormat>();

function format(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${timeZone} ${JSON.stringify(options)}`;
  const found = known.get(key) ?? new Intl.DateTimeFormat("en-US", { timeZone, ...options });
  known.set(key, found);
  return found;
}

/** What a clock and a calendar there show. */
function show(instant: number, timeZone: string) {
  const part = (options: Intl.DateTimeFormatOptions) =>
    format(timeZone, options).format(instant).replaceAll("\u202f", " ");
  return {
    clock: part({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    half: part({ hour: "numeric", minute: "2-digit", hour12: true }),
    weekday: part({ weekday: "long" }),
    month: part({ month: "short" }),
    monthNumber: part({ month: "2-digit" }),
    day: part({ day: "numeric" }),
    dayNumber: part({ day: "2-digit" }),
    year: part({ year: "numeric" }),
  };
}

type Shown = ReturnType<typeof show>;

/** Each wording, and how long before its time it can be said without meaning an earlier one. */
const forms: readonly (readonly [string, number, (at: Shown, zone: string) => string])[] = [
  ["a time", 20 * hour, (at, zone) => `resets ${at.half} ${zone}`],
  ["a time without spaces", 20 * hour, (at, zone) => `resets at ${at.half.replace(" ", "").toLowerCase()} ${zone}`],
  ["24 hours", 20 * hour, (at, zone) => `try again at ${at.clock} ${zone}`],
  ["a weekday", 6 * day, (at, zone) => `resets ${at.weekday.slice(0, 3)} ${at.half} ${zone}`],
  ["a whole weekday", 6 * day, (at, zone) => `try again on ${at.weekday} at ${at.clock} ${zone}`],
  ["a date", 7 * day, (at, zone) => `resets ${at.month} ${at.day}, ${at.half} ${zone}`],
  ["a date and year", 7 * day, (at, zone) => `or try again at ${at.month} ${at.day}th, ${at.year} ${at.half} ${zone}`],
  ["day first", 7 * day, (at, zone) => `try again at ${at.day} ${at.month} ${at.year}, ${at.clock} ${zone}`],
  ["ISO", 7 * day, (at, zone) => `until ${at.year}-${at.monthNumber}-${at.dayNumber}T${at.clock}:00 ${zone}`],
];

function offsetAt(instant: number, timeZone: string): number {
  const { year, monthNumber, dayNumber, clock } = show(instant, timeZone);
  return Date.parse(`${year}-${monthNumber}-${dayNumber}T${clock}:00Z`) - instant;
}

/** The hours of two years after which a clock in the zone is another one, and the turns of the years. */
function changesOf(timeZone: string): number[] {
  const start = Date.UTC(2026, 0, 1);
  const changes = [start + 365 * day, start + 730 * day];
  for (let at = start; at < start + 730 * day; at += day) {
    if (offsetAt(at, timeZone) === offsetAt(at + day, timeZone)) continue;
    for (let hours = at; hours < at + day; hours += hour)
      if (offsetAt(hours, timeZone) !== offsetAt(hours + hour, timeZone)) changes.push(hours + hour);
  }
  return changes;
}

for (const [written, zone] of zones) {
  test(`every wording in ${written} is the next moment at which a clock there shows it, also around its changes`, () => {
    const aMoment = fc
      .tuple(fc.constantFrom(...changesOf(zone)), fc.integer({ min: -300, max: 300 }))
      .map(([change, minutes]) => change + minutes * minute);
    for (const [name, reach, say] of forms) {
      fc.assert(
        fc.property(aMoment, fc.integer({ min: 3, max: reach / minute }), (target, before) => {
          const now = target - before * minute + 7_000;
          const said = show(target, zone);
          const text = say(said, written);
          const read = readWait(text, now);
          assert.ok(read !== null && read >= now && read <= target, `${name}: ${read} for ${target}: ${text}`);
          // The same clock may come twice, if it is set back.
          assert.deepEqual(show(read, zone), said);
        }),
        { numRuns: 30 },
      );
    }
  });
}

test("a zone is known by its letters, its distance from UTC or its place, and the runner's own without a name", () => {
  const rows: readonly (readonly [name: string, zone: object | null])[] = [
    ["est", { kind: "fixed", offsetMs: -5 * hour }],
    [" IST ", { kind: "fixed", offsetMs: 5.5 * hour }],
    ["UTC+5:30", { kind: "fixed", offsetMs: 5.5 * hour }],
    ["GMT -3", { kind: "fixed", offsetMs: -3 * hour }],
    ["-0330", { kind: "fixed", offsetMs: -3.5 * hour }],
    ["pt", { kind: "named", name: "America/Los_Angeles" }],
    ["Europe/Berlin", { kind: "named", name: "Europe/Berlin" }],
    ["Nowhere/City", null],
    ["", null],
  ];
  for (const [name, zone] of rows) assert.deepEqual(findZone(name), zone, name);
  assert.deepEqual(findZone(undefined), { kind: "named", name: undefined });
});

test("a clock of a zone shows its day, and a time that it shows twice or never is found", () => {
  const berlin = { kind: "named", name: "Europe/Berlin" } as const;
  const eve = wallClock(Date.UTC(2026, 11, 31, 23, 30), berlin);
  assert.deepEqual([eve.year, eve.month, eve.day, eve.weekday], [2027, 0, 1, 5]);
  assert.equal(eve.shown, Date.UTC(2027, 0, 1, 0, 30));
  assert.deepEqual(instantsOf(Date.UTC(2026, 9, 25, 2, 30), berlin), [
    Date.UTC(2026, 9, 25, 0, 30),
    Date.UTC(2026, 9, 25, 1, 30),
  ]);
  assert.deepEqual(instantsOf(Date.UTC(2026, 2, 29, 2, 30), berlin), [Date.UTC(2026, 2, 29, 1, 30)]);
  assert.deepEqual(instantsOf(Date.UTC(2026, 6, 1, 12), { kind: "fixed", offsetMs: hour }), [Date.UTC(2026, 6, 1, 11)]);
  assert.equal(wallClock(-1, { kind: "named", name: "UTC" }).shown, -1);
});
