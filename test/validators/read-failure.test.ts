import assert from "node:assert/strict";
import { test } from "node:test";
import { readFailure } from "../../lib/validators/read-failure.ts";

test("what a check failed by is in its output: an assertion, a load, an error of the language, or none of these", () => {
  const rows: readonly (readonly [output: string, by: string])[] = [
    ["AssertionError [ERR_ASSERTION]: 1 == 2\nTypeError: later", "assertion"],
    ["Error: Cannot find module './a.mjs'", "load"],
    ["TypeError: Cannot read properties of undefined (reading 'a')", "crash"],
    ["E   AttributeError: 'NoneType' object has no attribute 'a'", "crash"],
    ["panic: runtime error: index out of range [3] with length 2", "crash"],
    ["Error: the sum is wrong", "other"],
    ["", "other"],
  ];
  for (const [output, by] of rows) assert.equal(readFailure(output).by, by, output);
});
