import assert from "node:assert/strict";
import { test } from "node:test";
import { folderName, freeName, slugOfTitle } from "../../../lib/scaffold/interchange/folder-names.ts";

for (const [id, title, name] of [
  ["US-001", "Add a priority column", "US-001-add-a-priority-column"],
  [
    "US-001",
    "A title that has far more words than anybody wants to read in a path",
    "US-001-a-title-that-has-far-more-words-than",
  ],
  ["US 1: a", "Déjà vu & more!", "US-1-a-deja-vu-more"],
  ["..", "...", "story"],
  [".hidden", "名前", "hidden-名前"],
  ["A", "x".repeat(90), `A-${"x".repeat(40)}`],
  ["名".repeat(80), "t", "名".repeat(40)],
] as const) {
  test(`${id} and ${title.slice(0, 20)} make ${name.slice(0, 30)}`, () => {
    assert.equal(folderName(id, title), name);
  });
}

test("a title without a letter has no words", () => {
  assert.equal(slugOfTitle("…!"), "");
});

test("a name that is taken, whatever its letter case, gets a number", () => {
  const taken = new Set(["a-b", "a-b-2"]);
  assert.deepEqual(
    ["A-b", "A-c"].map((name) => freeName(name, (tried) => taken.has(tried))),
    ["A-b-3", "A-c"],
  );
});
