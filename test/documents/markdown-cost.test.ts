import assert from "node:assert/strict";
import { test } from "node:test";
import { findCostlyMarkdown, measureMarkdown } from "../../lib/documents/markdown-cost.ts";

function values(text: string): Record<string, number> {
  return Object.fromEntries(
    measureMarkdown(text)
      .filter(({ value }) => value > 0)
      .map(({ counter, value }) => [counter, value]),
  );
}

test("each construct is counted for its own paragraph", () => {
  assert.deepEqual(values("plain\n"), { lines: 1 });
  assert.deepEqual(values("a\nb\n\nc\n"), { lines: 5 });
  assert.deepEqual(values("[a](b)"), { lines: 1, brackets: 8, links: 1, open: 1, marks: 16, allMarks: 4 });
  assert.deepEqual(values("*a* *b*"), { lines: 1, emphasis: 16, marks: 16, allMarks: 4 });
});

test("an item of a bullet list and a heading end the paragraph before them", () => {
  assert.deepEqual(values("a\n- b\n* c\n## d\ne\n"), { nesting: 1, lines: 7, marks: 1, allMarks: 1 });
  assert.deepEqual(values("a\n    - b\n- \n2. c\n"), { nesting: 1, listIndent: 5, lines: 16 });
});

test("underscores in words and stars between spaces are no emphasis", () => {
  assert.deepEqual(values("snake_case_word * x"), { lines: 1, marks: 9, allMarks: 3 });
});

test("containers at the start of a line are counted, with what they add to one another", () => {
  assert.deepEqual(values("> - 1. a"), { nesting: 3, nestedMarkers: 2, lines: 1 });
  assert.deepEqual(values("  - a"), { nesting: 1, listIndent: 2, lines: 1 });
  assert.deepEqual(values("[^a]: [^b]: c").nesting, 2);
  assert.deepEqual(values("-a *b 1.c"), { lines: 1, emphasis: 1, marks: 1, allMarks: 1 });
});

test("unclosed code and HTML marks cost the length of their paragraph", () => {
  assert.equal(values("`a``b<!--").scans, 27);
});

test("the finding names the place where the bound is passed", () => {
  const found = findCostlyMarkdown(`fine\n\n${"> ".repeat(13)}x\n`);
  assert.deepEqual(found, {
    code: "TP_TEXT_TOO_COMPLEX",
    message: "quotes and lists are nested too deep to be read safely (13, at most 12)",
    offset: 6,
    fix: "simplify this part, or move it to a file under artifacts/",
  });
  assert.equal(findCostlyMarkdown("# fine\n\n- [x] a\n"), null);
});
