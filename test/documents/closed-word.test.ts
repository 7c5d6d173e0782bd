import assert from "node:assert/strict";
import { test } from "node:test";
import { namedWords, readClosedWord } from "../../lib/documents/closed-word.ts";
import { phaseNames } from "../../lib/rules/phases.ts";

const yesNo = ["yes", "no"];
const phase = (text: string) => readClosedWord(text, phaseNames, "phase");
const answer = (text: string) => readClosedWord(text, yesNo);

const read: readonly (readonly [text: string, word: string])[] = [
  ["verify", "verify"],
  ["Needs-User Decision", "needs_user_decision"],
  ["the verify phase", "verify"],
  ["phase verify", "verify"],
  ['"verify".', "verify"],
  ["🔍 verify!", "verify"],
  ["[verify]", "verify"],
  ["(verify)", "verify"],
  ["verify (was implement)", "verify"],
  ["verify (next: review)", "verify"],
  ["verify – the tests are written", "verify"],
  ["verify\nthe tests are written", "verify"],
  ["verify, verify again", "verify"],
  ["verify (verify)", "verify"],
];

for (const [text, word] of read)
  test(`one word is read in ${JSON.stringify(text)}`, () => assert.equal(phase(text), word));

const doubtful = [
  ...["verify?", "verify (really？)", "verify :question:", "🤔 verify", "implement verify", "verify (review)"],
  ...[
    "verify (→ review)",
    "verify -> review",
    "verify, then review",
    "verify – review",
    "verify (or later)",
    "[x] verify",
  ],
  ...["verify ( )", "verified", "verify, maybe", "", "[a] [verify]", "verify phase phase"],
];

for (const text of doubtful)
  test(`no word is guessed in ${JSON.stringify(text)}`, () => assert.equal(phase(text), null));

test("a condition holds back a yes, and not a no", () => {
  for (const remark of [
    "(pending the checks)",
    "(if it builds)",
    "– not verified",
    ", once the key is there",
    "(TODO)",
  ]) {
    assert.equal(answer(`yes ${remark}`), null, remark);
    assert.equal(answer(`no ${remark}`), "no", remark);
  }
  assert.deepEqual(["yes, all pass", "yes (no failures)", "no (maybe)"].map(answer), ["yes", "yes", null]);
});

test("an emoji that says the opposite of the word leaves doubt", () => {
  assert.deepEqual(["yes ✅", "❌ no", "yes ❌", "no 👍"].map(answer), ["yes", "no", null, null]);
  assert.equal(phase("blocked ⛔"), "blocked");
});

test("the field's own noun is left aside only where it is given", () => {
  assert.equal(readClosedWord("verify phase", phaseNames), null);
});

test("the words that a text names are listed in its order, whole words alone", () => {
  assert.deepEqual(namedWords("Review, then needs user-decision; reviewed", phaseNames), [
    "review",
    "needs_user_decision",
  ]);
  assert.deepEqual(namedWords("verified, unverify", phaseNames), []);
});
