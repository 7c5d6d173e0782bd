import assert from "node:assert/strict";
import { test } from "node:test";
import { describeKnownNames } from "../../lib/text/known-names.ts";

test("the nearest name comes first, then those that there are", () => {
  assert.equal(
    describeKnownNames("claud", ["codex", "claude"], "the models are"),
    "did you mean claude? the models are: codex, claude",
  );
  assert.equal(describeKnownNames("nobody", ["codex"], "the models are"), "the models are: codex");
  assert.equal(describeKnownNames("nobody", [], "the models are"), null);
});

test("at most eight names are shown, and the others counted", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `m${index + 1}`);
  assert.equal(describeKnownNames("nobody", names(8), "they are"), "they are: m1, m2, m3, m4, m5, m6, m7, m8");
  assert.equal(
    describeKnownNames("nobody", names(10), "they are"),
    "they are: m1, m2, m3, m4, m5, m6, m7, m8 and 2 more",
  );
});
