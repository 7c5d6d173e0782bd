import assert from "node:assert/strict";
import { test } from "node:test";
import { quoteWord } from "../../lib/text/quote-word.ts";
import { splitShellWords } from "../../lib/text/shell-words.ts";

test("a word gets quotes only where a shell would read it otherwise", () => {
  assert.deepEqual(["test", "--grep=a/b.c", "a b", "it's", "", "$HOME", "a\nb"].map(quoteWord), [
    "test",
    "--grep=a/b.c",
    "'a b'",
    "'it'\\''s'",
    "''",
    "'$HOME'",
    "'a\nb'",
  ]);
});

test("what was quoted is split into the same words again", () => {
  const words = ["npm", "run", "a b", "it's", "", '$HOME `x` "y"', "é", "-"];
  assert.deepEqual(splitShellWords(words.map(quoteWord).join(" ")), { kind: "words", words });
});
