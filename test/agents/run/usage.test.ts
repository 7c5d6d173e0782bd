import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { costOf, type ModelUsage, readUsage } from "../../../lib/agents/run/usage.ts";
import { makeFolder } from "../../process/arrange.ts";

function usageOf(t: TestContext, text: string): ModelUsage {
  const path = join(makeFolder(t), "usage.json");
  writeFileSync(path, text);
  return readUsage(path);
}

const unknown = { costUsd: null, tokens: { input: null, output: null } };

test("cost and tokens are read, and what does not exist is not known", (t) => {
  assert.deepEqual(usageOf(t, '{"cost_usd": 0.12, "input_tokens": 900, "output_tokens": 0, "more": "x"}'), {
    costUsd: 0.12,
    tokens: { input: 900, output: 0 },
    note: null,
  });
  assert.deepEqual(usageOf(t, '{"input_tokens": null}'), { ...unknown, note: null });
  assert.deepEqual(readUsage(join(makeFolder(t), "absent")), { ...unknown, note: null });
});

test("a value that is not a number that a pass can use is unknown, and named", (t) => {
  for (const huge of ["1e999", "1e308"])
    assert.deepEqual(usageOf(t, `{"cost_usd": -1, "input_tokens": "900", "output_tokens": ${huge}}`), {
      ...unknown,
      note: "in the usage file, cost_usd, input_tokens, output_tokens should be a number from 0 to 1000000000000",
    });
});

test("usage that is not a JSON object is unknown", (t) => {
  const note = 'the usage file is not a JSON object such as {"cost_usd": 0.12}';
  for (const text of ["", "{", "[1]", "null", '"x"']) assert.deepEqual(usageOf(t, text), { ...unknown, note }, text);
});

test("a link, a folder and a file that is too big are not read", (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, "real"), '{"cost_usd": 1}');
  symlinkSync("real", join(folder, "link"));
  mkdirSync(join(folder, "folder"));
  writeFileSync(join(folder, "big"), " ".repeat(65_537));
  const notes = ["link", "folder", "big"].map((name) => readUsage(join(folder, name)));
  assert.deepEqual(notes, [
    { ...unknown, note: "the usage file could not be read (link)" },
    { ...unknown, note: "the usage file could not be read (folder)" },
    { ...unknown, note: "the usage file is larger than 65536 bytes and was not read" },
  ]);
});

const price = { inputPerMtok: 3, outputPerMtok: 15 };
const tokens = { input: 1_000_000, output: 100_000 };

test("the cost that the CLI reports takes precedence over a price, even if it is 0", () => {
  assert.deepEqual(costOf({ price }, { costUsd: 0.5, tokens }), { costUsd: 0.5, costSource: "reported", tokens });
  assert.deepEqual(costOf({ price }, { costUsd: 0, tokens }), { costUsd: 0, costSource: "reported", tokens });
});

test("without a report it is the price of the tokens", () => {
  assert.deepEqual(costOf({ price }, { costUsd: null, tokens }), { costUsd: 4.5, costSource: "price", tokens });
});

test("without a price, or with half of the tokens, it is not known, which is not 0", () => {
  const unpriced = (given: typeof price | null, counted: Parameters<typeof costOf>[1]["tokens"]) => {
    const found = costOf({ price: given }, { costUsd: null, tokens: counted });
    assert.deepEqual(found, { costUsd: null, costSource: null, tokens: counted });
  };
  unpriced(null, tokens);
  unpriced(price, { input: 10, output: null });
  unpriced(price, { input: null, output: 10 });
});
