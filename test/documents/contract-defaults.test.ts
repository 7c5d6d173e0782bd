import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContractCheck } from "../../lib/documents/contract.ts";
import { applyDefaults, carriedByDefault } from "../../lib/documents/contract-defaults.ts";
import type { PartialContract, WrittenContract } from "../../lib/documents/contract-schema.ts";

const apply = (written: Partial<WrittenContract>, defaults: PartialContract = {}) =>
  applyDefaults({ id: "T-1", title: "x", ...written }, defaults);

const check = (name: string): ContractCheck => ({
  ...{ name, command: ["make"], timeoutMs: 1, required: true },
  expect: { minTests: null, output: null },
});

test("the contract beats the defaults, and those beat the built-in ones, key by key in a map", () => {
  const contract = apply(
    {
      ...{ budget: { passes: 3 }, proof: { wrong: "off" }, review: { at: ["shape"] }, completion_promise: "FERTIG" },
      bounds: { verify: { files: 1 } },
    },
    {
      ...{ budget: { passes: 7, repairs: 1, money_usd: 4 }, proof: { without: "require", wrong: { max: 3 } } },
      ...{
        review: { reviewers: ["tests"], at: ["review"] },
        bounds: { verify: { files: 2, lines: 3 }, over: "block" },
      },
      ...{ priority: 9, retries_per_failure: 4, completion_promise: null },
    },
  );
  assert.deepEqual(contract.budget, { passes: 3, repairs: 1, moneyUsd: 4, tokens: null, timeMs: null });
  assert.deepEqual([contract.proof.without, contract.proof.wrong], ["require", { mode: "off", max: 8, time: 2 }]);
  assert.deepEqual(contract.review, { reviewers: ["tests"], at: ["shape"] });
  assert.deepEqual(contract.bounds, {
    ...{ verify: { files: 1, lines: 3 }, repair: { files: 20, lines: 400 }, over: "block" },
  });
  assert.deepEqual([contract.priority, contract.retriesPerFailure, contract.completionPromise], [9, 4, "FERTIG"]);
});

test("a null in the contract switches off what the defaults switch on", () => {
  const contract = apply(
    { budget: { money_usd: null }, degrade: null, completion_promise: null, repo: null },
    { budget: { money_usd: 4 }, degrade: { when_over_pct: 0.5 }, completion_promise: "OK", repo: "../app" },
  );
  assert.deepEqual(
    [contract.budget.moneyUsd, contract.degradeOver, contract.completionPromise, contract.repo],
    [null, null, null, "../app"],
  );
  assert.equal(apply({}, { completion_promise: null }).completionPromise, null);
  assert.deepEqual([apply({}).degradeOver, apply({ degrade: {} }).degradeOver], [0.8, 0.8]);
});

test("a list of the contract replaces that of the defaults", () => {
  const defaults = { validators: [check("a")], protected: ["x/**"], proof: { carry: ["libs"], prepare: [["make"]] } };
  const own = apply({ validators: [], protected: ["y/**"], proof: { carry: [] } }, defaults);
  assert.deepEqual([own.validators, own.protected, own.proof.carry, own.proof.prepare], [[], ["y/**"], [], [["make"]]]);
  assert.deepEqual(apply({}, defaults).validators, [check("a")]);
  assert.deepEqual(apply({}).proof.carry, carriedByDefault);
});

test("scenarios are parted by who plays them", () => {
  const scenarios = [check("a"), { ...check("b"), folder: "../hidden" }, { name: "c", look: "the page" }];
  const contract = apply({ scenarios });
  assert.deepEqual(
    [contract.scenarios, contract.heldOut, contract.manual],
    scenarios.map((one) => [one]),
  );
});

test("a dependency may want a proof that is shown", () => {
  const contract = apply({ depends_on: ["T-2", { id: "T-3", proof: "shown" }, { id: "T-4", proof: "any" }] });
  assert.deepEqual([contract.dependsOn, contract.provenOnly], [["T-2", "T-3", "T-4"], ["T-3"]]);
});
