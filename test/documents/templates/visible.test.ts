import assert from "node:assert/strict";
import { test } from "node:test";
import { showHidden, showOneLine, showShort } from "../../../lib/documents/templates/visible.ts";

test("hidden and reordering characters are spelled out; newlines and tabs stay", () => {
  assert.equal(showHidden("a\r\nb\tc\u001b[1m\u202e\u200b\ufeff"), "a\nb\tc\\x1b[1m\\u{202e}\\u{200b}\\u{feff}");
});

test("one line has no line break and no outer space", () => {
  assert.equal(showOneLine("  a\r\n\tb \u2028 c "), "a b \\u{2028} c");
});

test("a cut is marked", () => {
  assert.equal(showShort("abcdef", 6), "abcdef");
  assert.equal(showShort("abc def", 5), "abc…");
  assert.equal(showShort("🎉🎉🎉", 2), "🎉…");
  assert.equal(showShort(`a${" ".repeat(1000)}b`, 10), "a …");
});
