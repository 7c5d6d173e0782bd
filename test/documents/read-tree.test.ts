import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMarkdown } from "../../lib/documents/markdown.ts";
import { newestTree, readTree, useTreeCache } from "../../lib/documents/read-tree.ts";

function tree(text: string, file = "a.md") {
  const read = readTree(Buffer.from(text), file);
  return read.kind === "tree" ? read : assert.fail(read.findings[0]?.message);
}

test("the tree is that of the text without its byte-order mark, which is noted", () => {
  const read = tree("\uFEFF# A\n");
  assert.deepEqual([read.text, read.bom, read.tree], ["# A\n", true, parseMarkdown("# A\n")]);
  assert.equal(tree("# A\n").bom, false);
});

test("a text that the guard refuses is bad, with the guard's findings", () => {
  const read = readTree(Buffer.from("a\0"), "a.md");
  assert.deepEqual(read.kind === "bad" && read.findings.map(({ code, file }) => [code, file]), [
    ["TP_TEXT_CHARACTER", "a.md"],
  ]);
  assert.equal(readTree(Buffer.from("abc"), "a.md", { maxBytes: 2, maxLineLength: 9, maxLines: 9 }).kind, "bad");
});

test("a text that was read a short time ago is parsed once, until more than 256 KiB were read since", () => {
  const first = tree("one text\n").tree;
  assert.equal(tree("one text\n", "b.md").tree, first);
  const large = (index: number) => `${index} ${"word ".repeat(10)}\n`.repeat(1_000);
  for (const index of [1, 2, 3]) tree(large(index));
  assert.equal(tree("one text\n").tree, first);
  for (const index of [4, 5, 6, 7, 8]) tree(large(index));
  assert.notEqual(tree("one text\n").tree, first);
});

test("a tree that is known from elsewhere is taken without parsing", () => {
  const known = parseMarkdown("known\n");
  useTreeCache((text) => (text === "elsewhere\n" ? known : undefined));
  try {
    assert.equal(tree("elsewhere\n").tree, known);
    assert.notEqual(tree("other text\n").tree, known);
  } finally {
    useTreeCache(() => undefined);
  }
});

test("the newest text of each of the last sixteen files is known by the file's name", () => {
  for (let index = 0; index < 17; index++) tree(`text ${index}\n`, `${index}.md`);
  tree("newer\n", "3.md");
  assert.equal(newestTree("3.md")?.text, "newer\n");
  assert.equal(newestTree("0.md"), undefined);
  tree("again\n", "1.md");
  tree("one more\n", "17.md");
  assert.deepEqual([newestTree("1.md")?.text, newestTree("2.md")], ["again\n", undefined]);
});
