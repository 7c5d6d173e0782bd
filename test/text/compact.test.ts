import assert from "node:assert/strict";
import { test } from "node:test";
import { compact } from "../../lib/text/compact.ts";

test("an item whose test fails is left out, and an empty one stays", () => {
  const isThere = (word: string) => word.length < 3;
  assert.deepEqual(compact(["a", isThere("long") && "b", isThere("") && "", "c"]), ["a", "", "c"]);
});
