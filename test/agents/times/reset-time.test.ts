import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readWait } from "../../../lib/agents/times/reset-time.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** A Sunday. */
const now = Date.UTC(2026, 10, 22, 4, 0);

test("a wait is counted from now, whatever its units", () => {
  const waits: readonly (readonly [string, number])[] = [
    ["Please try again in 2s. Visit https://example.com", 2 * second],
    ["Please retry in 5.5s", 5.5 * second],
    ["try again in 250ms", 250],
    ["try again in 1m30s", 90 * second],
    ["try again in 1h 2m 3s.", hour + 2 * minute + 3 * second],
    ["Retrying after 3 minutes", 3 * minute],
    ["retry after: 20 seconds", 20 * second],
    ["your quota resets in 2 days", 48 * hour],
    ["wait after 40 milliseconds", 40],
    ["Please wait 20 seconds before the next call", 20 * second],
    ["Try again in ~231 min.", 231 * minute],
    ["try again in about 5 minutes", 5 * minute],
    ["try again in less than a minute", minute],
    ["try again in an hour", hour],
    ["try again in 2 days, 3 hours", 51 * hour],
    ["try again in 2 days and 3 hours.", 51 * hour],
    ["resets in 1 week, 2 days, 3 hours, and 4 minutes", (9 * 24 + 3) * hour + 4 * minute],
    ["try again in 5 days 22 hours 11 minutes", (5 * 24 + 22) * hour + 11 * minute],
    ["Server requested 7200s retry delay (max: 60s).", 2 * hour],
    ['"retryDelay": "34s"', 34 * second],
    ['{"retry_after": 12.5}', 12.5 * second],
    ['{"retry-after-ms":"1500"}', 1_500],
    ['{"error":{"resets_in_seconds":13872}}', 13_872 * second],
    ['{\\"resets_in_seconds\\":60}', 60 * second],
    ["retry-after: 17", 17 * second],
    ['{"Retry-After":"2"}', 2 * second],
  ];
  for (const [text, ms] of waits) assert.equal(readWait(text, now), now + ms, text);
});

test("a time of day is the next one in its zone", () => {
  const times: readonly (readonly [string, number])[] = [
    ["resets 4:49am (UTC)", Date.UTC(2026, 10, 22, 4, 49)],
    ["resets 3:15am (UTC)", Date.UTC(2026, 10, 23, 3, 15)],
    ["resets 12:40am (UTC)", Date.UTC(2026, 10, 23, 0, 40)],
    ["resets 12pm (UTC)", Date.UTC(2026, 10, 22, 12, 0)],
    ["It resets at 6pm (Europe/Berlin).", Date.UTC(2026, 10, 22, 17, 0)],
    ["resets 9 p.m. (America/New_York)", Date.UTC(2026, 10, 23, 2, 0)],
    ["resets Nov 25, 3pm (UTC)", Date.UTC(2026, 10, 25, 15, 0)],
    ["resets November 25 at 3:30pm (Asia/Kolkata)", Date.UTC(2026, 10, 25, 10, 0)],
    ["resets Jan 2, 2027, 3pm (UTC)", Date.UTC(2027, 0, 2, 15, 0)],
    ["resets Jan 2, 3pm (UTC)", Date.UTC(2027, 0, 2, 15, 0)],
    ["resets at 15:30 UTC", Date.UTC(2026, 10, 22, 15, 30)],
    ["try again at 03:30 (UTC)", Date.UTC(2026, 10, 23, 3, 30)],
    ["Access resets at 10:57 PM GMT-3.", Date.UTC(2026, 10, 23, 1, 57)],
    ["resets 9am EST", Date.UTC(2026, 10, 22, 14, 0)],
    ["resets 9am PT", Date.UTC(2026, 10, 22, 17, 0)],
    ["resets at 9:00 UTC+05:30", Date.UTC(2026, 10, 23, 3, 30)],
    ["resets Mon 9am (UTC)", Date.UTC(2026, 10, 23, 9, 0)],
    ["resets Sunday, 3am (UTC)", Date.UTC(2026, 10, 29, 3, 0)],
    ["try again on Thursday at 12:00 AM (UTC)", Date.UTC(2026, 10, 26, 0, 0)],
    ["try again tomorrow at 9am UTC", Date.UTC(2026, 10, 23, 9, 0)],
    ["try again today at 9:15 PM (UTC)", Date.UTC(2026, 10, 22, 21, 15)],
    ["resets 2026-11-25T10:00:00Z", Date.UTC(2026, 10, 25, 10, 0)],
    ["resets at 2026-11-25T10:00:00.250+02:00", Date.UTC(2026, 10, 25, 8, 0)],
    ["until 2026-11-25 10:00 (Europe/Berlin)", Date.UTC(2026, 10, 25, 9, 0)],
    ["resets Dec 1 (UTC)", Date.UTC(2026, 11, 1)],
    ["resets 2026-12-01 UTC", Date.UTC(2026, 11, 1)],
    ["try again at 10 Dec 2026, 11:52 UTC", Date.UTC(2026, 11, 10, 11, 52)],
    ["Retry-After: Wed, 25 Nov 2026 07:28:00 GMT", Date.UTC(2026, 10, 25, 7, 28)],
    ['{"resets_at": 1795640400}', 1_795_640_400_000],
    ['{"resets_at": "2026-11-25T10:00:00Z"}', Date.UTC(2026, 10, 25, 10, 0)],
    ["usage limit reached|1795640400", 1_795_640_400_000],
    ["resets at 1795640400123", 1_795_640_400_123],
  ];
  for (const [text, time] of times) assert.equal(readWait(text, now), time, text);
});

test("without a zone it is the runner's own", () => {
  const local = new Date(2026, 10, 24, 0, 25).getTime();
  assert.equal(readWait("or try again at Nov 24th, 2026 12:25 AM.", now), local);
});

test("the hour that a change of clocks brings is taken into account", () => {
  const before = Date.UTC(2026, 9, 24, 20, 0);
  assert.equal(readWait("resets 6am (Europe/Berlin)", before), Date.UTC(2026, 9, 25, 5, 0));
  assert.equal(readWait("resets 1am (Europe/Berlin)", before), Date.UTC(2026, 9, 24, 23, 0));
});

test("a minute that has just begun is now, and a date that is over says nothing", () => {
  const before = (minutes: number) => new Date(now - minutes * 60_000).toISOString().slice(14, 16);
  const hour = (minutes: number) => new Date(now - minutes * 60_000).getUTCHours();
  const said = (minutes: number) => `try again at Nov 22nd, 2026 ${hour(minutes)}:${before(minutes)} AM (UTC)`;
  assert.equal(readWait(said(1), now), now);
  assert.equal(readWait(said(3), now), null);
  for (const text of [
    "resets Nov 22, 3am (UTC)",
    "try again at Nov 2, 2026 3pm (UTC)",
    "resets 2026-11-21",
    "limit reached|1749924000",
    '{"resets_at":"2026-01-01T00:00:00Z"}',
    "try again today at 3am UTC",
  ])
    assert.equal(readWait(text, now), null, text);
  assert.deepEqual(
    ["resets 3:59am (UTC)", "resets Sun 3:59am (UTC)"].map((text) => readWait(text, now)),
    [now, now],
  );
});

test("a text without a time gives none", () => {
  for (const text of [
    "",
    "Please try again later.",
    "rate limit of 30,000 input tokens per minute",
    "resets 13:00pm (UTC)",
    "resets 1:75am (UTC)",
    "resets 4am (Nowhere/City)",
    "resets Foo 3, 4am (UTC)",
    "resets at 24:00 UTC",
    "resets at 9",
    "resets Nov 32 (UTC)",
    "resets on 2026-13-01",
    "retry-after: soon, in 2 or 3",
    "try again in a moment",
    "try again in 5 minimal steps",
    `${" ".repeat(5_000)}try again in 2s`,
  ]) {
    assert.equal(readWait(text, now), null, text);
  }
});

test("no text makes it throw or gives a time before now", () => {
  const word = fc.constantFrom(
    "try again",
    "resets",
    "in",
    "at",
    "retry-after:",
    "12",
    "9999999999",
    "pm",
    "s",
    "Nov",
    "(UTC)",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 4 }))), (words) => {
      const time = readWait(words.join(" "), now);
      assert.ok(time === null || time >= now);
    }),
  );
});
