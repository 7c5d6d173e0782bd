import type { Nodes, Root } from "mdast";
import { offsetsOf, plainLine } from "../task-folder/markdown.ts";
import { readTree } from "../task-folder/read-tree.ts";
import { mdFence } from "../templates/markdown-nodes.ts";
import { mdProse } from "../templates/prose.ts";
import { showHidden, showOneLine } from "../templates/visible.ts";

/**
 * What a git host makes of plain text on its own, beyond what a Markdown parser tells: mentions, references, links,
 * mathematics, emoji.
 */
const hostMarks = /[@#$]|!\d|\bGH-\d|<[!?/a-z]|:\/\/|www\.|:[a-z0-9_+-]+:/i;

/**
 * Text as one line of Markdown that reads as that text and cannot become another construct. Plain words stay as they
 * are, since a model reads the file's own text; anything else is escaped. What was between code marks stays code.
 */
export function asLine(text: string): string {
  const line = showOneLine(text);
  return !hostMarks.test(line) && readsAsItself(line) ? line : mdProse(line);
}

/**
 * Text of some lines as blocks of Markdown. It is left as it is if it only has paragraphs, lists, quotes, code,
 * tables and emphasis, all of them closed; else it is in a fence, so that it cannot open or close anything around it.
 */
export function asBlocks(text: string): string {
  const shown = showHidden(text).trim();
  const read = readTree(Buffer.from(`${shown}\n\n# end\n`), "");
  return read.kind === "tree" && isContained(read.tree) ? shown : mdFence(shown);
}

/** Code between marks may be in it. A text whose value is its source holds no escape, no reference and no mark. */
function readsAsItself(line: string): boolean {
  const read = readTree(Buffer.from(line), "");
  const only = read.kind === "tree" ? read.tree.children[0] : undefined;
  if (read.kind === "bad" || only?.type !== "paragraph" || read.tree.children.length > 1) return false;
  return only.children.every((node) => {
    const { start, end } = offsetsOf(node);
    return node.type === "inlineCode" || (node.type === "text" && node.value === line.slice(start, end));
  });
}

const containedNodes: ReadonlySet<Nodes["type"]> = new Set([
  "paragraph",
  "text",
  "emphasis",
  "strong",
  "delete",
  "inlineCode",
  "code",
  "break",
  "link",
  "list",
  "listItem",
  "blockquote",
  "table",
  "tableRow",
  "tableCell",
] as const);

/** The heading that was put behind the text is the only one, and still a heading at the end. */
function isContained(tree: Root): boolean {
  const nodes = tree.children.slice(0, -1);
  const end = tree.children.at(-1);
  return end?.type === "heading" && plainLine(end) === "end" && nodes.every(isHarmless);
}

function isHarmless(node: Nodes): boolean {
  return containedNodes.has(node.type) && (!("children" in node) || node.children.every(isHarmless));
}
