import assert from "node:assert/strict";
import { test } from "node:test";
import { progressKinds, reasonCategories } from "../../lib/rules/words.ts";

test("the order of judgement is that of the contract, with a cut-off pass before all", () => {
  assert.deepEqual(reasonCategories, [
    "interrupted",
    "unavailable",
    "tampering",
    "unreadable",
    "illegal",
    "redirect",
    "gate",
    "progress",
  ]);
});

test("the kinds of material progress are those of the contract", () => {
  assert.deepEqual(progressKinds, [
    "code_change",
    "state_change",
    "evidence_gain",
    "blocker_clarification",
    "risk_reduction",
    "question",
  ]);
});
