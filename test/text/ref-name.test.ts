import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { problemOfBranch, problemOfRefName } from "../../lib/text/ref-name.ts";

/** The numbers of failing names, as git itself judges them one by one. */
function gitTakes(name: string): boolean {
  return spawnSync("git", ["check-ref-format", name]).status === 0;
}

const names = [
  "refs/heads/task-phase/T-1",
  "refs/heads/ünïcødé-任务-🎈",
  "refs/heads/-x",
  "refs/heads/a.b",
  "refs/heads/a@b",
  "refs/heads/@",
  "refs/heads/{id}",
  "refs/heads/a!$&'()+,;=<>|\"%#",
  "refs/heads/a b",
  "refs/heads/a\tb",
  "refs/heads/a\x7fb",
  "refs/heads/a..b",
  "refs/heads/..",
  "refs/heads/.a",
  "refs/heads/a.",
  "refs/heads/a./b",
  "refs/heads/a.lock",
  "refs/heads/a.lock/b",
  "refs/heads/a.locked",
  "refs/heads/a@{1}",
  "refs/heads/a{b}",
  "refs/heads/a//b",
  "refs/heads/a/",
  "/refs/heads/a",
  ...[..."~^:?*[\\"].map((character) => `refs/heads/a${character}b`),
];

for (const name of names)
  test(`${JSON.stringify(name)} is judged as git judges it`, () => {
    assert.equal(problemOfRefName(name) === null, gitTakes(name), problemOfRefName(name) ?? "no problem");
  });

test("any name of the characters that matter is judged as git judges it", () => {
  const piece = fc.constantFrom("a", ".", "/", "@", "{", ".lock", "-", "~", " ", "é", "..", "[", "]", "*");
  const name = fc.array(piece, { maxLength: 6 }).map((pieces) => `refs/heads/x${pieces.join("")}`);
  fc.assert(
    fc.property(name, (one) => (problemOfRefName(one) === null) === gitTakes(one)),
    { numRuns: 60, seed: 7 },
  );
});

test("a name is bounded in bytes, and half of a character is refused", () => {
  assert.equal(problemOfRefName(`refs/heads/${"a".repeat(239)}`), null);
  assert.equal(problemOfRefName(`refs/heads/${"a".repeat(240)}`), "has 251 bytes as a ref; the most is 250");
  assert.equal(problemOfRefName(`refs/heads/${"é".repeat(120)}`), "has 251 bytes as a ref; the most is 250");
  assert.equal(problemOfRefName("refs/heads/\ud83c"), "contains half of a character");
});

test("a branch is no option and not HEAD", () => {
  assert.deepEqual(["main", "-x", "HEAD", "", "a b"].map(problemOfBranch), [
    null,
    "begins with a hyphen",
    "is the word HEAD",
    "has an empty part beside a slash",
    "contains a space",
  ]);
});
