import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ModelEnd } from "../../lib/machine/facts.ts";
import { addCharge, dollars, estimateOf, type ModelCharge, noSpend, refuseMoney } from "../../lib/machine/spend.ts";

const exited: ModelEnd = { kind: "exited", exit_code: 0, signal: null, result_event: true };
const charge = (changes: Partial<ModelCharge>): ModelCharge => ({
  model: "mine",
  costUsd: null,
  estimateUsd: null,
  end: exited,
  ...changes,
});
const after = (...charges: Partial<ModelCharge>[]) => charges.map(charge).reduce(addCharge, noSpend);

test("known costs add up, and a pass of unknown cost counts as what it was estimated at", () => {
  assert.deepEqual(after({ costUsd: 0.5 }, { estimateUsd: 0.4 }, { costUsd: 0.25, estimateUsd: 9 }), {
    knownUsd: 0.75,
    unknownPasses: 1,
    chargedUsd: 1.15,
    recent: { mine: [0.5, 0.25] },
    silent: [],
  });
});

test("a cost that was never known stays unknown and charges nothing where nothing was estimated", () => {
  assert.deepEqual(after({}), { knownUsd: null, unknownPasses: 1, chargedUsd: 0, recent: {}, silent: ["mine"] });
});

const ends: Readonly<Record<string, readonly [ModelEnd, number]>> = {
  "cut off by its timeout": [{ kind: "timed_out", timeout_ms: 1 }, 2],
  "interrupted with its runner": [{ kind: "interrupted", reason: "killed" }, 2],
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

test("the call that would exceed the budget is refused, the one that fits exactly is not", () => {
  const spend = after({ costUsd: 19.5 });
  assert.equal(
    refuseMoney(spend, 20, "mine", 1),
    "19.50 USD of 20.00 USD are spent, and the next pass, by mine, is estimated at 1.00 USD, more than `budget.money_usd` has left",
  );
  assert.equal(refuseMoney(spend, 20, "mine", 0.5), null);
  assert.equal(refuseMoney(spend, 20, "mine", null), null);
});

test("a budget that is spent is spent, whatever the next call is taken to cost", () => {
  const why = "20.00 USD of 20.00 USD are spent, all of `budget.money_usd`";
  for (const estimate of [null, 0, 0.1]) assert.equal(refuseMoney(after({ costUsd: 20 }), 20, "mine", estimate), why);
});

test("tenths that a computer cannot hold neither exceed nor spare a budget", () => {
  const spend = after({ costUsd: 0.1 }, { costUsd: 0.2 });
  assert.ok(refuseMoney(spend, 0.3, "mine", 0.1)?.endsWith("all of `budget.money_usd`"));
  assert.equal(refuseMoney(after({ costUsd: 0.1 }), 0.3, "mine", 0.2), null);
});

test("a task never spends more than its budget and one wrong estimate", () => {
  const costs = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { maxLength: 30 });
  fc.assert(
    fc.property(costs, fc.double({ min: 0.01, max: 20, noNaN: true }), (all, limit) => {
      let spend = noSpend;
      for (const costUsd of all) {
        const estimate = estimateOf(spend, "mine", null);
        if (refuseMoney(spend, limit, "mine", estimate) !== null) break;
        const over = Math.max(0, costUsd - (estimate ?? 0));
        spend = addCharge(spend, charge({ costUsd }));
        assert.ok(spend.chargedUsd <= limit + over + 1e-6);
      }
    }),
  );
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
