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
