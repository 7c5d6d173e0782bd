import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasOwnNote, ownWords, withOwnNote } from "../../lib/interchange/own-note.ts";

for (const [before, after] of [
  ["", "[task-phase] new"],
  ["mine", "mine\n[task-phase] new"],
  ["[task-phase] old", "[task-phase] new"],
  ["mine\n[task-phase] old\nmore", "mine\nmore\n[task-phase] new"],
  ["I like [task-phase] notes", "I like [task-phase] notes\n[task-phase] new"],
] as const) {
  test(`our note beside ${JSON.stringify(before)}`, () => {
    assert.equal(withOwnNote(before, "new"), after);
  });
}

test("writing a note again and again leaves one, on one line, and the author's words as they were", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (words, one, other) => {
      const author = ownWords(words);
      const noted = withOwnNote(withOwnNote(author, one), other);
      assert.deepEqual(
        [noted, ownWords(noted), hasOwnNote(noted), withOwnNote(noted, other)],
        [withOwnNote(author, other), author, true, noted],
      );
    }),
    { numRuns: 200 },
  );
});
