import assert from "node:assert/strict";
import { test } from "node:test";
import type { List } from "mdast";
import { compareForm, type ListField, readListFields } from "../../lib/documents/list-fields.ts";
import { parseMarkdown } from "../../lib/documents/markdown.ts";

function fields(text: string): readonly ListField[] {
  return readListFields(parseMarkdown(text).children[0] as List, text);
}

/** The only field of an item, with the source of its label and of its content. */
function only(text: string) {
  const [field, ...more] = fields(text);
  if (field === undefined || more.length > 0) return assert.fail("not one field");
  const { shownLabel, value, plain, literal, labelStart, labelEnd, content } = field;
  return {
    ...{ label: shownLabel, value, plain, literal },
    source: [text.slice(labelStart, labelEnd), text.slice(content.start, content.end)],
  };
}

for (const [text, label, value, source] of [
  ["- Phase: implement", "Phase", "implement", "Phase:"],
  ["- **Phase:** implement", "Phase", "implement", "**Phase:**"],
  ["- **Phase**: `implement`", "Phase", "`implement`", "**Phase**:"],
  ["- **Phase: implement**", "Phase", "implement", "**Phase:"],
  ["- _Phase: implement_ now", "Phase", "implement_ now", "_Phase:"],
  ["- Phase:", "Phase", "", "Phase:"],
  ["- Phase: <!-- why --> implement <!-- x -->", "Phase", "implement", "Phase:"],
  ["- <b></b> Phase: implement", "Phase", "implement", " Phase:"],
  ["- Phase:\r\n  a\r\n\r\n  - b\r\n", "Phase", "a\n\n  - b", "Phase:"],
  ["- [x] Phase: implement", "Phase", "implement", "Phase:"],
  ["- a `b:c` d: e", "a b", "c` d: e", "a `b:"],
  ["- http://x.y", "http", "//x.y", "http:"],
] as const)
  test(`${JSON.stringify(text)} is a field with the value ${JSON.stringify(value)}`, () => {
    const read = only(text);
    assert.deepEqual([read.label, read.value, read.source[0]], [label, value, source]);
  });

test("an item without a colon in its first paragraph is no field", () => {
  assert.deepEqual(fields("- a\n- # b: c\n-\n- - d: e\n- f\n\n  g: h\n"), []);
});

test("a label that is not written out literally cannot be edited", () => {
  for (const text of ["- Phase&colon; implement", "- [Phase: implement](x)", "- Ph&#97;se: implement"])
    assert.equal(only(text).literal, false, text);
  assert.deepEqual(only("- Phase&colon; implement").source, Array(2).fill("Phase&colon; implement"));
});

test("what is struck through is left out where that is asked for", () => {
  const [field] = fields("- Phase: ~~implement~~ verify");
  assert.deepEqual([field?.plain, field?.unstruck], ["implement verify", "verify"]);
});

test("the place of a field is that of its text in the file", () => {
  const [, second] = fields("- A: b\n  - [ ] x\n-   C: d\n");
  assert.deepEqual([second?.line, second?.column], [3, 5]);
});

test("labels compare without regard to case and space", () => {
  assert.equal(compareForm(" Next\tStep "), "nextstep");
});
