import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nearestWord } from "../../lib/text/nearest.ts";

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

  it("finds none where none is near, and in an empty list", () => {
    assert.deepEqual(
      ["banana", "x", "", "y".repeat(5000)].map((word) => nearestWord(word, words)),
      [null, null, null, null],
    );
    assert.equal(nearestWord("shape", []), null);
  });
});
