import assert from "node:assert/strict";
import { test } from "node:test";
import { cutText } from "../../../lib/documents/templates/prompt.ts";

test("a text that fits stays as it is", () => {
  assert.deepEqual(cutText("four", 4), { text: "four", cut: false });
  assert.deepEqual(cutText("any", Infinity), { text: "any", cut: false });
});

test("a text that is too long ends with a whole line, or within one that takes up more than half of the room", () => {
  assert.deepEqual(cutText("one two\nthree", 10), { text: "one two\n…", cut: true });
  assert.deepEqual(cutText("a\nlong last line", 10), { text: "a\nlong las\n…", cut: true });
});

test("no character is cut in half", () => {
  assert.deepEqual(cutText("ab😀", 3), { text: "ab\n…", cut: true });
});
