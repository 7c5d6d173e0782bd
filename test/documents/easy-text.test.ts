import assert from "node:assert/strict";
import { test } from "node:test";
import { easyText } from "../../lib/documents/easy-text.ts";

const easy: Readonly<Record<string, string>> = {
  "nothing at all": "",
  "plain words": "# Title\n\nOne line, and another.\n",
  "letters of Western languages, dashes, quotes and arrows": "Größe – “so” → á\n",
  "a list with a box": "- [ ] one\n  - [x] two\n",
  "a line of 4000 characters": "x".repeat(4_000),
  "1400 lines": "\n".repeat(1_399),
};

const undecided: Readonly<Record<string, string | Buffer>> = {
  "a tab": "a\tb",
  "a carriage return": "a\r\n",
  "a NUL": "a\0",
  "a byte-order mark": "\uFEFFa",
  "a no-break space": "a\u00a0b",
  "letters beyond Latin": "да",
  "an emoji": "a ✅",
  "bytes that are no UTF-8": Buffer.from([0x61, 0xff]),
  "a line of 4001 characters": "x".repeat(4_001),
  "a last line of 4001 characters": `a\n${"x".repeat(4_001)}`,
  "1401 lines": "\n".repeat(1_400),
  "more than 12000 bytes": "word\n".repeat(2_401),
  "thirteen markers on one line": `${"> ".repeat(13)}a`,
  "a little nesting on many lines": "- - - a\n".repeat(151),
  "a footnote": "[^a]: b",
  "a footnote in a list": "- [^a]: b",
  "101 open brackets": "a ".concat("[b ".repeat(101)),
  "very many marks": `a\n${"a*b ".repeat(769)}`,
  "very many colons": `a\n${"a:b ".repeat(385)}`,
  "very many scans": "<a\n".repeat(1_000),
  "an address": "see www.example.org",
  "a mark of a merge": "<<<<<<< ours\n",
};

for (const [what, text] of Object.entries(easy))
  test(`a text with ${what} is easy`, () => assert.equal(easyText(Buffer.from(text)), text));

for (const [what, text] of Object.entries(undecided))
  test(`a text with ${what} is left to the guard`, () => assert.equal(easyText(Buffer.from(text)), null));

test("a text that is to be easy several times over is counted so many times", () => {
  for (const text of ["word\n".repeat(1_300), "\n".repeat(700), "- - - a\n".repeat(80), `a\n${"a*b ".repeat(600)}`]) {
    assert.equal(easyText(Buffer.from(text)), text);
    assert.equal(easyText(Buffer.from(text), 2), null);
  }
});
