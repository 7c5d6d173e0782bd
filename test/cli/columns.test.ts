import assert from "node:assert/strict";
import { test } from "node:test";
import { alignColumns } from "../../lib/cli/columns.ts";

test("columns are as wide as their widest cell, and no line ends in spaces", () => {
  assert.deepEqual(alignColumns([["a", "bb", "c"], ["äöü", "b", ""], ["one"]]), ["a    bb  c", "äöü  b", "one"]);
  assert.deepEqual(alignColumns([]), []);
});

test("the last cell of a short row does not widen its column for others", () => {
  assert.deepEqual(alignColumns([["a", "b"], ["a very long last cell"]]), [
    "a                      b",
    "a very long last cell",
  ]);
});
