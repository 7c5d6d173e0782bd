import assert from "node:assert/strict";
import { test } from "node:test";
import { addTo } from "../../lib/text/add-to.ts";

test("values are kept by their key, in the order in which they came", () => {
  const lists = new Map<string, number[]>();
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
  ] as const)
    addTo(lists, key, value);
  assert.deepEqual(
    [...lists],
    [
      ["a", [1, 3]],
      ["b", [2]],
    ],
  );
});
