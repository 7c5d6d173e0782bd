import assert from "node:assert/strict";
import { test } from "node:test";
import { capital, oneLine, plural } from "../../lib/rules/wording.ts";

test("a count has the word that goes with it", () => {
  const counts = [plural(1, "pass", "passes"), plural(2, "pass", "passes"), plural(0, "file")];
  assert.deepEqual(counts, ["1 pass", "2 passes", "0 files"]);
});

test("a text begins with a capital, and an empty one stays", () => {
  assert.deepEqual(["the check fails", "", "É"].map(capital), ["The check fails", "", "É"]);
});

test("a text of several lines becomes one", () => {
  assert.equal(oneLine(" one\r\n\ttwo  three\n"), "one two three");
});
