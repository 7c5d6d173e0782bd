import assert from "node:assert/strict";
import { test } from "node:test";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { mdCell, mdInline, mdPre } from "../../../lib/documents/templates/markdown-escape.ts";
import { showOneLine } from "../../../lib/documents/templates/visible.ts";
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
    const tree = parse(`| a | b |\n| --- | --- |\n| ${mdCell(hostile)} | ${mdCell(hostile)} |\n`);
    const cells = all(tree).filter((node) => node.type === "tableCell");
    assert.deepEqual([tree.children?.length, cells.length], [1, 4], hostile);
    const expected = showOneLine(hostile) || "–";
    assert.deepEqual(cells.slice(2).map(textOf), [expected, expected], hostile);
  }
});

test("output in pre holds no tag and no comment", () => {
  for (const hostile of hostileTexts) {
    const inside = mdPre(hostile).replace(/^<pre>\n|\n<\/pre>$/g, "");
    assert.doesNotMatch(inside, /[<>]/);
  }
});

test("a reference to an issue, a pull request or a commit is code, so that a host notifies nobody and closes nothing", () => {
  const references = [
    "#12",
    "GH-2",
    "gh-2",
    "evil/repo#3",
    "(#12)",
    "!34",
    "group/name!34",
    "deadbeef1",
    "a1b2c3d",
    "e@1",
    "v1.2-a1b2c3d",
  ];
  for (const reference of references) {
    assert.equal(mdInline(`fixes ${reference}`), `fixes \`${reference}\``);
    assert.deepEqual(
      all(parse(mdInline(`closes ${reference} now`))).filter(({ type }) => type === "inlineCode").length,
      1,
      reference,
    );
  }
  for (const plain of [
    "# a heading",
    "C# 8",
    "12 # 3",
    "GHA-1",
    "defaced",
    "a1b2c3",
    "x & y",
    "50 % 7",
    "costs $5, ~6 of %7 & &8",
    "2026-01-02T03:04:05.000Z",
  ])
    assert.doesNotMatch(mdInline(`it is ${plain} here`), /`/, plain);
});

test("an ampersand is escaped only where a character reference could begin", () => {
  for (const plain of ["npm test && npm run lint", "a & b", "R&", "&1"]) assert.equal(mdInline(plain), plain);
  assert.deepEqual(["&amp;", "&#x26;", "a&&lt", "R&D"].map(mdInline), [
    "&amp;amp;",
    "&amp;&#35;x26;",
    "a&&amp;lt",
    "R&amp;D",
  ]);
});

test("a time and a ratio read as they are in the source; the name of an emoji is escaped, digits or not", () => {
  for (const plain of ["2026-11-23 07:40:32 UTC", "16:9", "1:2:3:4"]) assert.equal(mdInline(plain), plain);
  assert.deepEqual([":smile:", "at 07:40:smile:", "x:100:", ":1234:", ":8ball:", ":+1:"].map(mdInline), [
    "&#58;smile:",
    "at 07:40&#58;smile:",
    "x&#58;100:",
    "&#58;1234:",
    "&#58;8ball:",
    "&#58;+1:",
  ]);
});
