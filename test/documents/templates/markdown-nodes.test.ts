import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Nodes } from "mdast";
import { parseMarkdown, plainText } from "../../../lib/documents/markdown.ts";
import {
  code,
  fence,
  heading,
  item,
  link,
  list,
  markdownLink,
  mdCode,
  mdCodeCell,
  mdFence,
  mdLink,
  paragraph,
  source,
  words,
  writeMarkdown,
} from "../../../lib/documents/templates/markdown-nodes.ts";
import { showHidden, showOneLine } from "../../../lib/documents/templates/visible.ts";
import { hostileTexts } from "./hostile.ts";

const marks = ["#", "-", "+", "1.", "1)", "*", "_", "~~", "`", "```", "|", "[", "](x)", "![", "<b>", "<!--", "-->"];
const more = [
  "\n",
  "\n\n",
  "\t",
  " ",
  "&amp;",
  "\\",
  "$",
  ":x:",
  "@a",
  "www.a.b",
  "https://a.b",
  "\u200b",
  "\u202e",
  "=",
  ">",
];

/** What files, models and programs may say: marks of Markdown in any order between any characters. */
const hostile = fc.oneof(
  fc.constantFrom(...hostileTexts.map((text) => text.slice(0, 200))),
  fc
    .array(fc.oneof(fc.constantFrom(...marks, ...more), fc.string({ unit: "grapheme", maxLength: 8 })))
    .map((parts) => parts.join("")),
);

/** The text is ended by a word, since an empty node is none. */
const hostileLine = hostile.map((text) => `${text} end`);

function holds(arbitrary: fc.Arbitrary<string>, check: (text: string) => void): void {
  fc.assert(fc.property(arbitrary, check), { numRuns: 300 });
}

/** The nodes that are read back, each as its type and what it says. */
function readBack(markdown: string): [type: string, text: string][] {
  return parseMarkdown(markdown).children.map((node) => [node.type, plainText(node)]);
}

function typesIn(node: Nodes): string[] {
  return [node.type, ...("children" in node ? node.children.flatMap(typesIn) : [])];
}

describe("text in a node that we make is read back as that text, whatever stands in it", () => {
  test("in headings, paragraphs and items, with and without a box", () => {
    holds(hostileLine, (text) => {
      const shown = showOneLine(text);
      const markdown = writeMarkdown(
        heading(2, words`${text}`),
        paragraph(words`${text}`),
        list([item(words`${text}`, list([item(words`Name: ${text}`)])), item(words`${text}`, undefined, true)]),
        paragraph(words`after`),
      );
      assert.ok(markdown.startsWith("## "), markdown);
      assert.deepEqual(
        readBack(markdown),
        [
          ["heading", shown],
          ["paragraph", shown],
          ["list", `${shown}\nName: ${shown}\n${shown}`],
          ["paragraph", "after"],
        ],
        markdown,
      );
    });
  });

  test("and makes no markup except code, which keeps an address from becoming a link", () => {
    holds(hostileLine, (text) => {
      const tree = parseMarkdown(writeMarkdown(paragraph(words`${text}`)));
      const allowed = ["root", "paragraph", "text", "inlineCode"];
      assert.deepEqual(
        typesIn(tree).filter((type) => !allowed.includes(type)),
        [],
      );
    });
  });

  test("in code spans", () => {
    holds(hostile, (text) => {
      const shown = showOneLine(text) || "–";
      assert.deepEqual(readBack(writeMarkdown(paragraph(words`x ${code(text)} y`))), [["paragraph", `x ${shown} y`]]);
    });
  });

  test("in fences, which end only where they are meant to end", () => {
    holds(hostile, (text) => {
      const shown = showHidden(text).replace(/\n+$/, "");
      assert.deepEqual(readBack(writeMarkdown(fence(text), paragraph(words`after`))), [
        ["code", shown],
        ["paragraph", "after"],
      ]);
      assert.deepEqual(readBack(mdFence(text)), [["code", shown]]);
    });
  });

  test("in links, which keep their address", () => {
    holds(hostileLine, (text) => {
      const [only] = parseMarkdown(writeMarkdown(paragraph(link(text, "a/b%20c.txt")))).children;
      const node = only?.type === "paragraph" ? only.children[0] : undefined;
      assert.ok(node?.type === "link");
      assert.deepEqual([node.url, plainText(node)], ["a/b%20c.txt", showOneLine(text)]);
    });
  });

  test("in the cells of a table", () => {
    holds(hostile, (text) => {
      const cell = mdCodeCell(text);
      const [table, ...rest] = parseMarkdown(`| a | b |\n| --- | --- |\n| ${cell} | x |\n`).children;
      assert.ok(table?.type === "table" && rest.length === 0);
      const shown = showOneLine(text) || "–";
      assert.deepEqual(
        table.children.map((row) => row.children.map((each) => plainText(each))),
        [
          ["a", "b"],
          [shown, "x"],
        ],
      );
    });
  });
});

test("each node has the form that these documents use", () => {
  assert.equal(
    writeMarkdown(
      heading(1, words`Pass ${7} of ${"a*b"}`),
      list([
        item(words`Repo: ${code("a`b")}`, list([item(words`none`)])),
        item(words`ABORT ${source("(x)")}`, undefined, false),
      ]),
      fence("a\n```\n\n", "mermaid"),
    ),
    "# Pass 7 of a&#42;b\n\n- Repo: ``a`b``\n  - none\n- [ ] ABORT (x)\n\n````mermaid\na\n```\n````\n",
  );
});

test("a link keeps its address relative and its text plain", () => {
  assert.equal(mdLink("a*b", "artifacts/a%2Ab"), "[a&#42;b](artifacts/a%2Ab)");
  assert.equal(mdLink("", "x"), "[–](x)");
  assert.equal(mdLink("a*b", null), "a&#42;b");
  assert.equal(markdownLink("artifacts/a b.txt", "artifacts/a b.txt"), "[artifacts/a b.txt](artifacts/a%20b.txt)");
  assert.equal(markdownLink("x", "../x"), "x");
  assert.equal(markdownLink("x", "javascript:alert(1)"), "[x](javascript%3Aalert%281%29)");
  assert.equal(mdLink("evidence.html", "https://a.b/c"), "[evidence.html](https://a.b/c)");
  assert.equal(mdLink("https://a.b", "https://a.b"), "[`https://a.b`](https://a.b)");
});

test("empty code is a dash, and code that could be a comment of ours is escaped", () => {
  assert.deepEqual([mdCode(" "), mdCode("<!-- x -->"), mdCodeCell("a|b")], ["–", "&lt;!-- x --&gt;", "a&#124;b"]);
});
