import assert from "node:assert/strict";
import { test } from "node:test";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import {
  markdownLink,
  mdCell,
  mdCode,
  mdCodeCell,
  mdFence,
  mdHtml,
  mdInline,
  mdLink,
  mdPre,
} from "../../lib/templates/markdown-escape.ts";
import { showHidden, showOneLine } from "../../lib/templates/visible.ts";
import { hostileTexts } from "./hostile.ts";

interface Tree {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Tree[];
}

const parse = (text: string): Tree => unified().use(remarkParse).use(remarkGfm).parse(text) as Tree;

function all(tree: Tree): Tree[] {
  return [tree, ...(tree.children ?? []).flatMap(all)];
}

const textOf = (tree: Tree) =>
  all(tree)
    .map((node) => node.value ?? "")
    .join("");

test("inline text is read as exactly its characters, and holds no markup but code", () => {
  for (const hostile of hostileTexts) {
    const tree = parse(mdInline(hostile));
    assert.deepEqual(
      all(tree)
        .map((node) => node.type)
        .filter((type) => !["root", "paragraph", "text", "inlineCode"].includes(type)),
      [],
      hostile,
    );
    assert.equal(textOf(tree), showOneLine(hostile));
  }
});

test("a cell never ends its cell, its row or its table", () => {
  for (const hostile of hostileTexts) {
    const tree = parse(`| a | b |\n| --- | --- |\n| ${mdCell(hostile)} | ${mdCodeCell(hostile)} |\n`);
    const cells = all(tree).filter((node) => node.type === "tableCell");
    assert.deepEqual([tree.children?.length, cells.length], [1, 4], hostile);
    const expected = showOneLine(hostile) || "–";
    assert.deepEqual(cells.slice(2).map(textOf), [expected, expected], hostile);
  }
});

test("code shows exactly its characters, whatever marks stand in it", () => {
  for (const hostile of hostileTexts)
    assert.equal(textOf(parse(`x ${mdCode(hostile)} y`)), `x ${showOneLine(hostile) || "–"} y`);
});

test("a fence ends only where it is meant to end", () => {
  for (const hostile of hostileTexts) {
    const nodes = all(parse(`${mdFence(hostile)}\n\nafter\n`)).filter((node) => node.value !== undefined);
    assert.deepEqual(
      nodes.map((node) => [node.type, node.value]),
      [
        ["code", showHidden(hostile).replace(/\n+$/, "")],
        ["text", "after"],
      ],
    );
  }
});

test("output in pre holds no tag and no comment", () => {
  for (const hostile of hostileTexts) {
    const inside = mdPre(hostile).replace(/^<pre>\n|\n<\/pre>$/g, "");
    assert.doesNotMatch(inside, /[<>]/);
  }
});

test("text for a tag has neither Markdown nor a tag in it", () => {
  assert.equal(mdHtml("<b> *x* \\ `y`"), "&lt;b&gt; &#42;x&#42; &#92; &#96;y&#96;");
});

test("a link keeps its address relative and its text plain", () => {
  assert.equal(mdLink("a*b", "artifacts/a%2Ab"), "[a&#42;b](artifacts/a%2Ab)");
  assert.equal(mdLink("", "x"), "[–](x)");
  assert.equal(mdLink("a*b", null), "a&#42;b");
  assert.equal(markdownLink("artifacts/a b.txt", "artifacts/a b.txt"), "[artifacts/a b.txt](artifacts/a%20b.txt)");
  assert.equal(markdownLink("x", "../x"), "x");
  assert.equal(markdownLink("x", "javascript:alert(1)"), "[x](javascript%3Aalert%281%29)");
});
