import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCost, formatSize, formatTime, formatTokens, shortHash, words } from "../../../lib/pages/view/format.ts";

test("a time is shown without fractions, and anything else is not shown", () => {
  assert.equal(formatTime("2026-11-21T10:00:05.123Z"), "2026-11-21 10:00:05 UTC");
  assert.equal(formatTime("<b>"), "unknown time");
});

test("sizes have the unit that fits", () => {
  assert.deepEqual([0, 1023, 1024, 1_500_000, 5e12].map(formatSize), [
    "0 B",
    "1023 B",
    "1.0 KiB",
    "1.4 MiB",
    "4656.6 GiB",
  ]);
});

test("a cost that is not known is never 0", () => {
  assert.deepEqual([null, 0, 0.004, 1.5].map(formatCost), ["not known", "0.00 USD", "0.004 USD", "1.50 USD"]);
});

test("tokens are counted in thousands, and an unknown count is marked", () => {
  assert.equal(formatTokens({ input: 999, output: 18_240 }), "999 in, 18.2k out");
  assert.equal(formatTokens({ input: null, output: 5 }), "? in, 5 out");
  assert.equal(formatTokens({ input: null, output: null }), "tokens not known");
});

test("words and short digests", () => {
  assert.equal(words("needs_user_decision"), "needs user decision");
  assert.equal(shortHash("0123456789abcdef"), "0123456789ab");
});
