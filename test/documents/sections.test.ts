import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMarkdown } from "../../lib/documents/markdown.ts";
import {
  findSections,
  listSections,
  readFeatures,
  readFindings,
  readListedItems,
} from "../../lib/documents/sections.ts";

test("a section goes on to the next heading of its depth or above", () => {
  const text = "# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## *D*\n\nd\n";
  const shown = (depth?: number) =>
    listSections(parseMarkdown(text), depth).map(({ title, start, nodes }) => [
      title,
      text.slice(0, start).split("\n").at(-1),
      nodes.length,
    ]);
  assert.deepEqual(shown(), [
    ["A", "# A", 7],
    ["B", "## B", 3],
    ["C", "### C", 1],
    ["D", "## *D*", 1],
  ]);
  assert.deepEqual(
    shown(2).map(([title]) => title),
    ["B", "D"],
  );
});

test("every section of a title is found, in any letter case", () => {
  const tree = parseMarkdown("# Notes\n\n## NOTES\n\n## Noted\n");
  assert.deepEqual(
    findSections(tree, "notes").map(({ title }) => title),
    ["Notes", "NOTES"],
  );
});

test("the columns of features go by their heading, else by their place, and a link is a proof by its target", () => {
  const features = (table: string) => readFeatures(parseMarkdown(`## Visible features\n\n${table}\n`));
  assert.deepEqual(features("| Proof | Feature | Label |\n|-|-|-|\n| [a](x.md) and [b](y.md) | F | L |"), [
    { feature: "F", label: "L", proof: "x.md y.md" },
  ]);
  assert.deepEqual(features("| what | how | why |\n|-|-|-|\n| F | L | see x.md |\n| G |"), [
    { feature: "F", label: "L", proof: "see x.md" },
    { feature: "G", label: "", proof: "" },
  ]);
  assert.deepEqual(readFeatures(parseMarkdown("## Other\n\n| a |\n|-|\n| F |\n")), []);
});

test("an item that says that there is no finding is none", () => {
  const findings = (items: string) => readFindings(parseMarkdown(`## Findings\n\n${items}\n`)).findings;
  assert.deepEqual(
    findings("- none\n- No new findings.\n- nothing\n- n/a\n- TBD\n- ?\n- no defects found\n- None of it works"),
    ["None of it works"],
  );
});

test("words that Markdown takes for HTML are part of a finding and a note", () => {
  const text = "## Findings\n\n- a <script> runs\n- <b>none</b>\n- [x] a Map<K>\n\n## Notes\n\nno List<T>\n";
  assert.deepEqual(readFindings(parseMarkdown(text)), {
    findings: ["a <script> runs"],
    closed_findings: ["a Map<K>"],
    notes: ["no List<T>"],
  });
});

test("a ticked finding is closed, and a box that is open below it is open", () => {
  const read = readFindings(
    parseMarkdown(
      "## Findings\n\n- a\n- [ ] b\n- [x] c\n  - d\n  - [x] e\n    - [ ] f\n\n## Notes\n\nwhy\n\n- g\n- h\n",
    ),
  );
  assert.deepEqual(read, { findings: ["a", "b", "f"], closed_findings: ["c d e f"], notes: ["why", "g", "h"] });
});

test("the items of a node are listed with those below them, but not those in a quote", () => {
  const tree = parseMarkdown("- [x] a\n  - b\n\n> - c\n\n- [ ]  d `e`\n\n1. # f\n");
  assert.deepEqual(readListedItems(tree), [
    { text: "a", done: true },
    { text: "b", done: false },
    { text: "d e", done: false },
    { text: "", done: false },
  ]);
});
