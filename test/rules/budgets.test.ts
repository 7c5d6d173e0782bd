import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Budget,
  type BudgetLimits,
  chooseSteps,
  type DegradeInput,
  findSpent,
  keyOf,
  noUsage,
  timeLeft,
  type Usage,
  type UsedShare,
  usedShares,
} from "../../lib/rules/budgets.ts";
import type { DegradeStep } from "../../lib/rules/events.ts";
import { addCharge, estimateOf, noSpend } from "../../lib/rules/spend.ts";

const unlimited: BudgetLimits = { passes: null, moneyUsd: null, tokens: null, timeMs: null };
const budget = (limits: Partial<BudgetLimits>, used: Partial<Usage> = {}, scope: Budget["scope"] = "task"): Budget => ({
  scope,
  limits: { ...unlimited, ...limits },
  used: { ...noUsage, ...used },
});
const call = (estimateUsd: number | null, tokens = 0) => ({ estimateUsd, tokens });

test("the call that would exceed a budget is refused, the one that fits exactly is not", () => {
  const money = [budget({ moneyUsd: 20 }, { moneyUsd: 19.5 })];
  assert.deepEqual(findSpent(money, call(1)), [{ scope: "task", kind: "money", used: 19.5, limit: 20, estimate: 1 }]);
  assert.deepEqual(findSpent(money, call(0.5)), []);
  assert.deepEqual(findSpent(money, call(null)), []);
  assert.deepEqual(findSpent(money, null), []);
  const tokens = [budget({ tokens: 1_000 }, { tokens: 900 })];
  assert.deepEqual(findSpent(tokens, call(null, 101)), [
    { scope: "task", kind: "tokens", used: 900, limit: 1_000, estimate: 101 },
  ]);
  assert.deepEqual(findSpent(tokens, call(null, 100)), []);
});

test("a budget that is spent is spent, whatever the next call is taken to use", () => {
  const limits = { passes: 12, moneyUsd: 1, tokens: 10, timeMs: 1_000 };
  for (const next of [null, call(null), call(0), call(5, 5)]) {
    assert.deepEqual(
      findSpent([budget(limits, limits)], next).map(({ kind, estimate }) => [kind, estimate]),
      [
        ["passes", null],
        ["money", null],
        ["tokens", null],
        ["time", null],
      ],
    );
  }
});

test("time is spent only once all of it is, since the length of a pass is unknown", () => {
  assert.deepEqual(findSpent([budget({ timeMs: 1_000 }, { timeMs: 999 })], call(1, 1)), []);
  assert.equal(findSpent([budget({ timeMs: 1_000 }, { timeMs: 1_001 })], null).length, 1);
});

test("the budgets are judged in their order, each by its own limits", () => {
  const spent = findSpent(
    [
      budget({ passes: 3 }, { passes: 2 }),
      budget({ tokens: 5 }, { tokens: 7 }, "run"),
      budget({ moneyUsd: 1 }, { moneyUsd: 0.9 }, "day"),
    ],
    call(0.2),
  );
  assert.deepEqual(spent.map(keyOf), ["budget.run.tokens", "budget.day.money_usd"]);
});

test("tenths that a computer cannot hold neither exceed nor spare a budget", () => {
  assert.equal(findSpent([budget({ moneyUsd: 0.3 }, { moneyUsd: 0.1 + 0.2 })], null)[0]?.estimate, null);
  assert.deepEqual(findSpent([budget({ moneyUsd: 0.3 }, { moneyUsd: 0.1 })], call(0.2)), []);
  assert.equal(findSpent([budget({ moneyUsd: 0.3 }, { moneyUsd: 0.7 - 0.4 })], null).length, 1);
});

test("the used share is given for money, tokens and time, and never for passes", () => {
  const used = { passes: 11, moneyUsd: 5, tokens: 82, timeMs: 150 };
  assert.deepEqual(
    usedShares([budget({ passes: 12, moneyUsd: 20 }, used), budget({ tokens: 100, timeMs: 100 }, used, "day")]),
    [
      { scope: "task", kind: "money", share: 0.25 },
      { scope: "day", kind: "tokens", share: 0.82 },
      { scope: "day", kind: "time", share: 1.5 },
    ],
  );
});

test("the time that is left is that of the tightest budget, never below nothing, and null without one", () => {
  const task = budget({ timeMs: 1_000 }, { timeMs: 100 });
  assert.equal(timeLeft([task, budget({ timeMs: 800 }, { timeMs: 200 }, "day")]), 600);
  assert.equal(timeLeft([budget({ timeMs: 100 }, { timeMs: 300 }, "run")]), 0);
  assert.equal(timeLeft([budget({ moneyUsd: 1 })]), null);
});

test("a key is named as it is written in its file", () => {
  assert.equal(keyOf({ scope: "task", kind: "money" }), "budget.money_usd");
  assert.equal(keyOf({ scope: "run", kind: "time" }), "budget.run.time");
});

test("a task never spends more than its budget and one wrong estimate", () => {
  const costs = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { maxLength: 30 });
  fc.assert(
    fc.property(costs, fc.double({ min: 0.01, max: 20, noNaN: true }), (all, limit) => {
      let spend = noSpend;
      for (const costUsd of all) {
        const estimate = estimateOf(spend, "mine", null);
        if (findSpent([budget({ moneyUsd: limit }, { moneyUsd: spend.chargedUsd })], call(estimate)).length > 0) break;
        const over = Math.max(0, costUsd - (estimate ?? 0));
        spend = addCharge(spend, {
          model: "mine",
          costUsd,
          estimateUsd: estimate,
          end: { kind: "exited", exit_code: 0, signal: null, result_event: true },
          tokens: { input: null, output: null },
          durationMs: 1,
        });
        assert.ok(spend.chargedUsd <= limit + over + 1e-6);
      }
    }),
  );
});

const share = (amount: number, scope: UsedShare["scope"] = "task", kind: UsedShare["kind"] = "money") => ({
  scope,
  kind,
  share: amount,
});
const choose = (changes: Partial<DegradeInput> = {}) =>
  chooseSteps({ over: 0.8, shares: [share(0.82)], current: [], tried: true, ...changes });

test("near the end of a budget each further pass is made cheaper by one step more, in order, until there is none", () => {
  const seen: (readonly DegradeStep[])[] = [];
  for (let count = 0; count < 4; count += 1) seen.push(choose({ current: seen.at(-1) ?? [] }).steps);
  assert.deepEqual(seen, [
    ["cheap_tier"],
    ["cheap_tier", "small_context"],
    ["cheap_tier", "small_context", "no_self_review"],
    ["cheap_tier", "small_context", "no_self_review"],
  ]);
});

test("a step that no pass has tried yet is kept, and the first one needs no pass before it", () => {
  assert.deepEqual(choose({ current: ["cheap_tier"], tried: false }).steps, ["cheap_tier"]);
  assert.deepEqual(choose({ tried: false }).steps, ["cheap_tier"]);
});

test("the fullest budget decides, and the reason names it with whole per cent, rounded down", () => {
  const shares = [share(0.5), share(0.8299, "day", "tokens"), share(0.1, "run", "time")];
  assert.deepEqual(choose({ shares }), {
    steps: ["cheap_tier"],
    reason: "`budget.day.tokens` of the day is 82 % used",
  });
});

test("exactly at the share it begins, also where a computer cannot hold the tenths", () => {
  assert.deepEqual(choose({ shares: [share(0.8)] }).steps, ["cheap_tier"]);
  assert.deepEqual(choose({ over: 0.3, shares: [share((0.7 - 0.4) / 1)] }).steps, ["cheap_tier"]);
  assert.equal(choose({ shares: [share(0.29)], over: 0.29 }).reason, "`budget.money_usd` of the task is 29 % used");
});

test("below it, without a budget, or switched off, passes are as usual again", () => {
  const current: readonly DegradeStep[] = ["cheap_tier", "small_context"];
  const below = { steps: [], reason: "no budget is 80 % used any longer" };
  assert.deepEqual(choose({ current, shares: [share(0.79)] }), below);
  assert.deepEqual(choose({ current, shares: [] }), below);
  assert.deepEqual(choose({ current, over: null }), { steps: [], reason: "`degrade` is switched off" });
});
