import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { changelogName } from "../../../lib/models/select/changelog-name.ts";

test("a plain name is the name of its file", () => {
  assert.deepEqual(["claude", "gpt-5", "x"].map(changelogName), ["claude.md", "gpt-5.md", "x.md"]);
});

test("any other name gives a safe file name with digits of its own", () => {
  const names = [
    "Claude",
    "my model",
    "my/model",
    "..",
    ".md",
    "モデル",
    "-a",
    "",
    "claude-0123456789ab",
    "0123456789ab",
  ];
  const files = names.map(changelogName);
  for (const file of files) assert.match(file, /^[a-z0-9][a-z0-9-]*\.md$/);
  assert.match(files[0] ?? "", /^claude-[0-9a-f]{12}\.md$/);
  assert.match(files[1] ?? "", /^my-model-[0-9a-f]{12}\.md$/);
  assert.match(files[5] ?? "", /^[0-9a-f]{12}\.md$/);
  assert.equal(new Set(files).size, names.length);
});

test("no two names share a file, not even where case does not count", () => {
  const word = fc.oneof(fc.string({ maxLength: 4 }), fc.stringMatching(/^[aA]-?[bB]?(-?[0-9a-f]{12})?$/));
  fc.assert(
    fc.property(word, word, (left, right) => {
      assert.equal(changelogName(left).toLowerCase() === changelogName(right).toLowerCase(), left === right);
    }),
    { numRuns: 500 },
  );
});
