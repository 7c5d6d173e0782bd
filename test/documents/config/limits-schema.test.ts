import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { limitsSchema, noLimits, toLimits } from "../../../lib/documents/config/limits-schema.ts";

test("each limit that is not written, or written as null, is none", () => {
  assert.deepEqual([undefined, null, {}].map(toLimits), [noLimits, noLimits, noLimits]);
  const written = { passes: 3, money_usd: null, tokens: 900, time: "2h" };
  assert.deepEqual(toLimits(v.parse(limitsSchema, written)), {
    ...{ passes: 3, moneyUsd: null, tokens: 900, timeMs: 7_200_000 },
  });
  assert.equal(toLimits(v.parse(limitsSchema, { money_usd: 2.5 })).moneyUsd, 2.5);
});

test("a limit of nothing is refused", () => {
  for (const limits of [{ passes: 0 }, { money_usd: 0 }, { tokens: 0 }, { time: "8d" }, { money: 5 }])
    assert.ok(!v.safeParse(limitsSchema, limits).success, JSON.stringify(limits));
});
