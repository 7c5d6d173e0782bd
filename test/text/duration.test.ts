import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { formatDuration, parseDuration } from "../../lib/text/duration.ts";

describe("parseDuration", () => {
  it("reads seconds, minutes, hours and their sums; a bare number is seconds", () => {
    const read = ["90s", "5m", "2h", "1h30m", "1h0m5s", "1.5h", " 90 ", 90, "0.2"].map(parseDuration);
    assert.deepEqual(read, [90_000, 300_000, 7_200_000, 5_400_000, 3_605_000, 5_400_000, 90_000, 90_000, 200]);
  });

  it("refuses anything else, zero, and what no timer can hold", () => {
    const junk = [
      "",
      " ",
      "0",
      0,
      "0s",
      -5,
      "-5s",
      "5 m",
      "5M",
      "m",
      "1m1h",
      "1e9",
      "5d",
      Number.NaN,
      Infinity,
      null,
      [],
      "600h",
      3e6,
    ];
    assert.deepEqual(
      junk.map(parseDuration),
      junk.map(() => null),
    );
  });
});

describe("formatDuration", () => {
  it("writes it as a person would", () => {
    const written = [0, -3, 850, 1500, 9999, 12_400, 90_000, 7_200_000, 5_405_000].map(formatDuration);
    assert.deepEqual(written, ["0ms", "0ms", "850ms", "1.5s", "10s", "12s", "1m30s", "2h", "1h30m5s"]);
  });

  it("is read back where it is whole seconds", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000 }), (seconds) => {
        assert.equal(parseDuration(formatDuration(seconds * 1000)), seconds * 1000);
      }),
    );
  });
});
