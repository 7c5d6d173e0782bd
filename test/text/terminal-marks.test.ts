import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMarkSplitter, withoutMarks } from "../../lib/text/terminal-marks.ts";

/** Text as it is, marks in angle brackets; runs of text count as one. */
function split(pieces: readonly string[]): string[] {
  const out: string[] = [""];
  const splitter = createMarkSplitter(
    (text) => out.push(`${out.pop()}${text}`),
    (mark) => out.push(`<${mark}>`, ""),
  );
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return out.filter((part) => part !== "");
}

test("colours, cursor moves, links and character sets are marks, the rest is text", () => {
  assert.deepEqual(split(["a\u001b[01;31m\u001b[Kb\u001b(Bc\u001b]8;;http://x\u0007d\u001b]8;;\u001b\\e"]), [
    "a",
    "<\u001b[01;31m>",
    "<\u001b[K>",
    "b",
    "<\u001b(B>",
    "c",
    "<\u001b]8;;http://x\u0007>",
    "d",
    "<\u001b]8;;\u001b\\>",
    "e",
  ]);
  assert.equal(withoutMarks('"\\u001b[1ma\\\\x1B[0mb\\033[Kc"'), '"abc"');
});

test("text that only begins like a mark is text", () => {
  const text = "\u001b \u001b[12\n\u001b]no end\n \\u001b \\u001c[1m \\x1 a\u009b1m \u001b";
  assert.deepEqual(split([text]), [text]);
  assert.equal(withoutMarks(text), text);
});

test("a link whose end is far away is text", () => {
  const text = `\u001b]8;;${"x".repeat(5000)}\u0007`;
  assert.deepEqual(split([text]), [text]);
});

test("however the text is cut, its parts are the same", () => {
  const piece = fc.constantFrom(
    "\u001b",
    "[",
    "]",
    "1;3",
    "m",
    "\u0007",
    "\\",
    "\\\\\\",
    "u001b",
    "x1b",
    "033",
    "(",
    "B",
    "a",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (parts, size) => {
      const text = parts.join("");
      const cut = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      assert.deepEqual(split(cut), split([text]));
    }),
    { numRuns: 300 },
  );
});
