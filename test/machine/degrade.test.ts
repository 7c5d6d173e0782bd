import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsedShare } from "../../lib/machine/budgets.ts";
import { chooseSteps, type DegradeInput } from "../../lib/machine/degrade.ts";
import type { DegradeStep } from "../../lib/machine/events.ts";

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
