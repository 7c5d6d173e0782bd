import assert from "node:assert/strict";
import { test } from "node:test";
import { compareChecks, countRequired } from "../../../lib/pages/model/compare-checks.ts";
import { check } from "../sample-task.ts";

const pairs = (...sets: Parameters<typeof compareChecks>) =>
  compareChecks(...sets).map(
    ({ name, before, now }) => `${name}: ${before?.status} ${now?.status} ${now?.attribution}`,
  );

test("each check stands beside its result before the work, and one that ran only before the work comes last", () => {
  const now = [
    check({ status: "fail", attribution: "regressed" }),
    check({ name: "new", attribution: "clean" }),
    check({ name: "old", status: "timeout", attribution: "broken_before" }),
  ];
  const before = [check({ name: "gone" }), check({ name: "old", status: "fail" }), check()];
  assert.deepEqual(pairs(before, now), [
    "tests: pass fail regressed",
    "new: undefined pass clean",
    "old: fail timeout broken_before",
    "gone: pass undefined undefined",
  ]);
});

test("without results before the work or without checks the other side stands alone", () => {
  assert.deepEqual(pairs(null, [check({ attribution: null })]), ["tests: undefined pass null"]);
  assert.deepEqual(pairs([check()], null), ["tests: pass undefined undefined"]);
  assert.deepEqual(pairs(null, null), []);
});

test("only checks that must pass are counted, and held-out ones, which run in clean copies alone, with them", () => {
  const results = [check(), check({ status: "fail" }), check({ required: false })];
  assert.deepEqual(countRequired({ results }, null), { passed: 1, ran: 2 });
  const clean = { same_as: null, results: [...results, check({ name: "hidden", held_out: true })] };
  assert.deepEqual(countRequired({ results }, { clean }), { passed: 2, ran: 3 });
});
