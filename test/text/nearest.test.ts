import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { nearestWord, renderKnownNames } from "../../lib/text/nearest.ts";

const words = ["intake", "shape", "implement", "verify", "review", "repair", "needs_user_decision"];

describe("nearestWord", () => {
  it("finds the word that was meant", () => {
    const meant = ["Implement", "implemnet", "verfy", "reveiw", "needs-user-decision", "shpae"].map((word) =>
      nearestWord(word, words),
    );
    assert.deepEqual(meant, ["implement", "implement", "verify", "review", "needs_user_decision", "shape"]);
  });

  it("finds the word that was meant with another ending", () => {
    const meant = ["shaping", "Shaping", "verification", "implementation"].map((word) => nearestWord(word, words));
    assert.deepEqual(meant, ["shape", "shape", "verify", "implement"]);
    assert.deepEqual(
      [nearestWord("T-100", ["T-1", "T-2"]), nearestWord("intakes-of-everybody", words), nearestWord("shapeless", [])],
      [null, null, null],
    );
  });

  it("finds the word that another is the first part of, if there is one", () => {
    const keys = ["passes", "money_usd", "time_ms", "time_s"];
    assert.deepEqual([nearestWord("money", keys), nearestWord("time", keys)], ["money_usd", null]);
  });

  it("finds none where none is near, and in an empty list", () => {
    assert.deepEqual(
      ["banana", "x", "", "y".repeat(5000)].map((word) => nearestWord(word, words)),
      [null, null, null, null],
    );
    assert.equal(nearestWord("shape", []), null);
  });
});

test("the nearest name comes first, then those that there are", () => {
  assert.equal(
    renderKnownNames("claud", ["codex", "claude"], "the models are"),
    "did you mean claude? the models are: codex, claude",
  );
  assert.equal(renderKnownNames("nobody", ["codex"], "the models are"), "the models are: codex");
  assert.equal(renderKnownNames("nobody", [], "the models are"), null);
});

test("at most eight names are shown, and the others counted", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `m${index + 1}`);
  assert.equal(renderKnownNames("nobody", names(8), "they are"), "they are: m1, m2, m3, m4, m5, m6, m7, m8");
  assert.equal(
    renderKnownNames("nobody", names(10), "they are"),
    "they are: m1, m2, m3, m4, m5, m6, m7, m8 and 2 more",
  );
});
