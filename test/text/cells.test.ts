import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsOf, fitCells } from "../../lib/text/cells.ts";

test("letters fill one cell, wide characters and pictures two, marks on them none", () => {
  assert.deepEqual(["abc", "äö…→", "日本", "ｆｗ", "한글", "👍", "e\u0301", ""].map(cellsOf), [3, 4, 4, 4, 4, 2, 1, 0]);
});

test("a text that fits stays, another is cut before the cell that would be too many", () => {
  assert.deepEqual(
    ["abcd", "abcde", "日本", "日本語", "a日本"].map((text) => fitCells(text, 4)),
    ["abcd", "abc…", "日本", "日…", "a日…"],
  );
  assert.equal(fitCells("abc", 1), "…");
});

test("no text fills more cells than allowed", () => {
  for (const text of ["日a本b語c", "👍👍👍", "a\u0301\u0302b", "x".repeat(500)])
    for (let most = 1; most < 12; most += 1) assert.ok(cellsOf(fitCells(text, most)) <= most, `${text} in ${most}`);
});
