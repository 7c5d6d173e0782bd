import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMarkdown, plainLine, plainText } from "../../lib/documents/markdown.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";

test("plain text is what a reader sees: no marks, no HTML, an image by its alternative text", () => {
  const tree = parseMarkdown("**a** _b_ `c` [d](e) ![f](g) ![h][i] ~~j~~ <b>k</b> <!-- l -->\nm  \nn\n\n[i]: x\n");
  assert.equal(plainText(tree).trim(), "a b c d f h j k \nm\nn");
  assert.equal(plainLine(tree), "a b c d f h j k m n");
});

test("front matter, task lists and tables are known", () => {
  const tree = parseMarkdown("---\na: 1\n---\n\n- [x] b\n\n| c |\n| - |\n");
  assert.deepEqual(
    tree.children.map((node) => node.type),
    ["yaml", "list", "table"],
  );
});

test("a parse that runs out of stack is an error of the text", () => {
  assert.throws(
    () => parseMarkdown("> ".repeat(12_000)),
    (error) => error instanceof TaskPhaseError && error.findings[0]?.code === "TP_TEXT_TOO_COMPLEX",
  );
});
