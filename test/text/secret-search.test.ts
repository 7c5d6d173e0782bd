import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createNeedleFinder, type Needle } from "../../lib/text/secret-search.ts";

function find(needles: readonly Needle[], text: string, from = 0): number[] {
  const found = new Set<number>();
  createNeedleFinder(needles).find(text, from, (index) => found.add(index));
  return [...found].sort((left, right) => left - right);
}

const exact = (text: string): Needle => ({ text, anyCase: false });

test("each text that occurs is found, at the start, at the end and within others", () => {
  assert.deepEqual(find(["abc", "bcd", "xyz", "abcd", "cde"].map(exact), "abcde"), [0, 1, 3, 4]);
  assert.deepEqual(find([exact("abc")], "xabc", 1), [0]);
  assert.deepEqual(find([exact("abc")], "xabc", 2), []);
  assert.deepEqual(find([exact("abc")], ""), []);
});

test("case counts unless it is switched off", () => {
  assert.deepEqual(find([exact("Key"), { text: "key", anyCase: true }, exact("KEY")], "a KEY"), [1, 2]);
  assert.deepEqual(find([exact("Şıfre")], "die Şıfre"), [0]);
});

test("no text is missed and none is made up", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "A", "é", "\u0141"), minLength: 3, maxLength: 5 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "A", "é", "\u0141"), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), text, (words, whole) => {
      assert.deepEqual(
        find(words.map(exact), whole),
        words.flatMap((one, index) => (whole.includes(one) ? [index] : [])),
      );
    }),
    { numRuns: 300 },
  );
  assert.equal(createNeedleFinder([exact("abc"), exact("abcdef")]).longest, 6);
});
