import assert from "node:assert/strict";
import { test } from "node:test";
import { notLongAgo, readClock } from "../../../lib/agents/times/clock-words.ts";
import { readWait } from "../../../lib/agents/times/reset-time.ts";

/** A Sunday. */
const now = Date.UTC(2026, 10, 22, 4, 0);

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

test("a time is only read behind a word that says when to come back, and the first one counts", () => {
  assert.equal(readClock("it is 4pm UTC", now), null);
  assert.equal(readClock("resets soon; try again at 9am UTC", now), Date.UTC(2026, 10, 22, 9, 0));
  assert.equal(readClock("resets 9am UTC, or 10am UTC", now), Date.UTC(2026, 10, 22, 9, 0));
});

test("a time up to two minutes ago is now, and an older one is none", () => {
  assert.deepEqual(
    [1, 0, -120_000, -120_001].map((ms) => notLongAgo(now + ms, now)),
    [now + 1, now, now, null],
  );
});
