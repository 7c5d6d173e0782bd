import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainLine } from "../../../lib/documents/markdown.ts";
import { readTree } from "../../../lib/documents/read-tree.ts";
import { readSteps } from "../../../lib/documents/steps.ts";
import { showOneLine } from "../../../lib/documents/templates/visible.ts";
import { asBlocks, asLine } from "../../../lib/scaffold/interchange/make-task-files.ts";

for (const [text, line] of [
  ["Typecheck passes", "Typecheck passes"],
  ["'high' | 'low' (default 'low'), see src/a_b.ts", "'high' | 'low' (default 'low'), see src/a_b.ts"],
  ["Run `npm test`\n  now", "Run `npm test` now"],
  ["- [x] done", "&#45; &#91;x&#93; done"],
  ["# Heading", "&#35; Heading"],
  ["1. first", "1&#46; first"],
  ["1.5 seconds", "1.5 seconds"],
  ["<!-- hidden", "&lt;!-- hidden"],
  ["see https://example.invalid/a_b and @bob", "see `https://example.invalid/a_b` and `@bob`"],
  ["*all* of $x$, fixes #12", "&#42;all&#42; of &#36;x&#36;, fixes `#12`"],
  ["costs $5 or $6, fixes #12", "costs &#36;5 or &#36;6, fixes `#12`"],
  ["fixes GH-2 and !3", "fixes `GH-2` and `!3`"],
  ["a &amp; b\\", "a &amp;amp; b&#92;"],
  ["[a]: b", "&#91;a&#93;: b"],
] as const) {
  test(`${JSON.stringify(text)} stands in Markdown as ${line}`, () => {
    assert.equal(asLine(text), line);
  });
}

const marks = fc.constantFrom(
  ..."-*_`[]()<>#|\\&!~+=:.1x @$\n".split(""),
  "<!--",
  "-->",
  "](",
  "http://a",
  "word",
  "é",
);
const texts = fc.array(marks, { minLength: 1, maxLength: 14 }).map((parts) => `w${parts.join("")}`);

test("any criterion is one open item that reads as its words", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        texts,
        texts.map((text) => text.slice(1)),
      ),
      (text) => {
        fc.pre(showOneLine(text) !== "");
        const read = readSteps(Buffer.from(`# Steps\n\n- [ ] ${asLine(text)}\n- [ ] after\n`), "TASKS.md");
        assert(read.kind === "steps");
        // Marks of code are the one thing that does not show.
        const bare = (words: string) => showOneLine(words).replaceAll(/[`\s]/g, "");
        assert.deepEqual(
          read.items.map((item) => [bare(item.text), item.done]),
          [
            [bare(text), false],
            ["after", false],
          ],
          asLine(text),
        );
      },
    ),
    { numRuns: 300 },
  );
});

for (const text of [
  "Two lines\nof words\n\n- a list\n- with `code`",
  "> a quote\n\n```js\nlet a;\n```\n\n**bold** [link](x.md)",
]) {
  test(`blocks that are contained stay as they are: ${JSON.stringify(text.slice(0, 12))}`, () => {
    assert.equal(asBlocks(`\n${text}\n`), text);
  });
}

for (const text of [
  "# My own heading",
  "<!-- never closed",
  "```\nnever closed",
  "a\n\n---\n\nb",
  "[a]: b",
  "![x](y.png)",
  "<b>bold</b>",
]) {
  test(`blocks that could change what stands around them are fenced: ${JSON.stringify(text)}`, () => {
    const fence = text.startsWith("```") ? "````" : "```";
    assert.equal(asBlocks(text), `${fence}text\n${text}\n${fence}`);
  });
}

test("the heading behind any description is a heading and the only one", () => {
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const read = readTree(Buffer.from(`${asBlocks(`${one}\n${other}`)}\n\n## Behind\n`), "README.md");
      assert(read.kind === "tree");
      const headings = read.tree.children.filter((node) => node.type === "heading").map(plainLine);
      assert.deepEqual(headings, ["Behind"]);
    }),
    { numRuns: 200 },
  );
});
