import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { escapePattern } from "../../lib/text/escape-pattern.ts";

test("an escaped text matches itself and no other text", () => {
  const signs = fc.string({ unit: fc.constantFrom(..."ab.*+?^$|()[]{}\\/- \n") });
  fc.assert(
    fc.property(signs, signs, (text, other) => {
      const pattern = new RegExp(`^${escapePattern(text)}$`);
      assert.deepEqual([pattern.test(text), pattern.test(other)], [true, text === other]);
    }),
  );
});
