import assert from "node:assert/strict";
import { test } from "node:test";
import { costOf } from "../../../lib/models/run/cost.ts";

const price = { inputPerMtok: 3, outputPerMtok: 15 };
const tokens = { input: 1_000_000, output: 100_000 };
const unknown = { costUsd: null, costSource: null };

test("what the CLI reports comes before a price, also where it is 0", () => {
  assert.deepEqual(costOf({ price }, 0.5, tokens), { costUsd: 0.5, costSource: "reported" });
  assert.deepEqual(costOf({ price }, 0, tokens), { costUsd: 0, costSource: "reported" });
});

test("without a report it is the price of the tokens", () => {
  assert.deepEqual(costOf({ price }, null, tokens), { costUsd: 4.5, costSource: "price" });
});

test("without a price, or with half of the tokens, it is not known, which is not 0", () => {
  assert.deepEqual(costOf({ price: null }, null, tokens), unknown);
  assert.deepEqual(costOf({ price }, null, { input: 10, output: null }), unknown);
  assert.deepEqual(costOf({ price }, null, { input: null, output: 10 }), unknown);
});
