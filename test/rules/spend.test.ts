import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelEnd } from "../../lib/rules/model-end.ts";
import { addCharge, dollars, estimateOf, estimateTokens, type ModelCharge, noSpend } from "../../lib/rules/spend.ts";

const exited: ModelEnd = { kind: "exited", exit_code: 0, signal: null, result_event: true };
const charge = (changes: Partial<ModelCharge>): ModelCharge => ({
  model: "mine",
  costUsd: null,
  estimateUsd: null,
  end: exited,
  tokens: { input: null, output: null },
  durationMs: 0,
  ...changes,
});
const after = (...charges: Partial<ModelCharge>[]) => charges.map(charge).reduce(addCharge, noSpend);

test("known costs add up, and a pass of unknown cost counts as what it was estimated at", () => {
  assert.deepEqual(after({ costUsd: 0.5 }, { estimateUsd: 0.4 }, { costUsd: 0.25, estimateUsd: 9 }), {
    knownUsd: 0.75,
    unknownPasses: 1,
    chargedUsd: 1.15,
    recent: { mine: [0.5, 0.25] },
    tokens: 0,
    recentTokens: {},
    timeMs: 0,
    silent: [],
  });
});

test("a cost that was never known stays unknown and charges nothing where nothing was estimated", () => {
  assert.deepEqual(after({}), { ...noSpend, unknownPasses: 1, silent: ["mine"] });
});

const ends: Readonly<Record<string, readonly [ModelEnd, number]>> = {
  "cut off by its timeout": [{ kind: "timed_out", timeout_ms: 1 }, 2],
  "interrupted with its runner": [{ kind: "interrupted", reason: "killed", cause: "signal" }, 2],
  "that never started": [{ kind: "not_started", reason: "missing" }, 0],
  "that was withheld": [{ kind: "withheld", reason: "tampering" }, 0],
  "turned away by a limit": [{ kind: "limited", cause: "quota", reason: "429", until: null }, 0],
  "turned away at the login": [{ kind: "auth_failed", reason: "401" }, 0],
};
for (const [name, [end, chargedUsd]] of Object.entries(ends)) {
  test(`a call ${name} charges ${chargedUsd} of an estimate of 2`, () => {
    const spend = after({ end, estimateUsd: 2 });
    assert.deepEqual([spend.chargedUsd, spend.unknownPasses, spend.silent], [chargedUsd, chargedUsd === 0 ? 0 : 1, []]);
  });
}

test("a limited call that reports its cost is charged that", () => {
  const end: ModelEnd = { kind: "limited", cause: "rate_limit", reason: "429", until: null };
  assert.equal(after({ end, costUsd: 0.3 }).chargedUsd, 0.3);
});

test("the estimate is what the configuration says, else the dearest of the model's own last three passes", () => {
  const spend = after({ costUsd: 9 }, { costUsd: 1 }, { costUsd: 3 }, { costUsd: 2 }, { model: "other", costUsd: 50 });
  assert.equal(estimateOf(spend, "mine", null), 3);
  assert.equal(estimateOf(spend, "mine", 0.4), 0.4);
  assert.equal(estimateOf(spend, "new", null), null);
});

test("a model is silent while its newest pass that ended by itself had no known cost", () => {
  assert.deepEqual(after({ costUsd: 1 }, {}).silent, ["mine"]);
  assert.deepEqual(after({}, { costUsd: 1 }).silent, []);
  assert.deepEqual(after({ model: null }).silent, []);
});

test("the estimate in tokens is the dearest of the model's own last three passes, and nothing where none is known", () => {
  const used = (input: number | null, output: number | null) => ({ tokens: { input, output } });
  const spend = after(used(9_000, 0), used(100, 20), used(200, 10), used(null, null), used(null, 30), {
    model: "other",
    ...used(50_000, 1),
  });
  assert.deepEqual([estimateTokens(spend, "mine"), estimateTokens(spend, "new"), spend.tokens], [210, 0, 59_361]);
});

test("a clock that was set back during a pass gives no time back", () => {
  assert.equal(after({ durationMs: 5_000 }, { durationMs: -60_000 }, { durationMs: 1 }).timeMs, 5_001);
});

test("amounts are shown in cents, and with more digits where cents would hide them", () => {
  assert.deepEqual([0, 1, 0.5, 0.004365, 12.3456789, 0.1 + 0.2].map(dollars), [
    "0.00 USD",
    "1.00 USD",
    "0.50 USD",
    "0.004365 USD",
    "12.345679 USD",
    "0.30 USD",
  ]);
});
