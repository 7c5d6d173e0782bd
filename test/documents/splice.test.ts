import assert from "node:assert/strict";
import { test } from "node:test";
import { applySplices, fieldSplice, fillSplice, rewriteSplice } from "../../lib/documents/splice.ts";
import type { FieldKey } from "../../lib/rules/state-view.ts";
import { fieldList, mustRead } from "./arrange.ts";

test("splices are applied in any order, insertions too", () => {
  const splices = [
    { start: 4, end: 5, text: "" },
    { start: 0, end: 2, text: "AB!" },
    { start: 3, end: 3, text: "+" },
  ];
  assert.equal(applySplices("abcdef", splices), "AB!c+df");
  assert.equal(applySplices("abcdef", []), "abcdef");
});

/** The line that stands for `line` after a splice of it. */
function spliced(splice: typeof fieldSplice, line: string, key: FieldKey, value: string): string {
  const usual = key === "phase" ? "- Phase: implement" : "- Blockers: none";
  const [head = "", tail = ""] = fieldList().split(usual);
  const document = mustRead(`${head}${line}${tail}`);
  const after = applySplices(document.text, [splice(document, key, value)]);
  assert.ok(after.startsWith(head) && after.endsWith(tail), after);
  return after.slice(head.length, after.length - tail.length);
}

for (const [line, key, value, expected] of [
  ["- Phase: **implement**", "phase", "verify", "- Phase: **verify**"],
  ["- Phase: implement (again: implement)", "phase", "verify", "- Phase: verify"],
  ["- Blockers: **a** b", "blockers", "c", "- Blockers: c"],
  ["- Blockers:\n  a\n  b", "blockers", "c", "- Blockers: c"],
  ["- Blockers:\n  a", "blockers", "", "- Blockers:"],
  ["- Blockers:  a", "blockers", "", "- Blockers:"],
  ["- Blockers:  a", "blockers", "c", "- Blockers:  c"],
] as const)
  test(`${JSON.stringify(line)} with the value ${JSON.stringify(value)} is ${JSON.stringify(expected)}`, () =>
    assert.equal(spliced(fieldSplice, line, key, value), expected));

test("an empty value is filled with one space before it, and one before what follows", () => {
  const fill = (text: string) => applySplices(text, [fillSplice(text, 2, "x")]);
  assert.deepEqual(["a:", "a: ", "a:\t", "a:\n", "a:<!-- -->", "a: <!-- -->"].map(fill), [
    ...["a: x", "a: x", "a:\tx", "a: x\n", "a: x <!-- -->", "a: x <!-- -->"],
  ]);
});

test("an item that is written again keeps its list marker alone", () => {
  assert.equal(spliced(rewriteSplice, "- **Blocker**: a\n  b", "blockers", "c"), "- Blockers: c");
  assert.equal(spliced(rewriteSplice, "- Blockers: a", "blockers", ""), "- Blockers:");
});
