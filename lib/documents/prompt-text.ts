import type { Root, RootContent } from "mdast";
import { stateFields } from "../rules/state-view.ts";
import { offsetsOf } from "./markdown.ts";
import type { StateDocument } from "./read-state.ts";
import { findSections } from "./sections.ts";
import { applySplices, type Splice } from "./splice.ts";

/**
 * The text below an offset without its comments: in a brief they are advice to its author. Only comments outside of
 * other blocks are dropped; one in a code block is code.
 */
export function dropComments(tree: Root, text: string, start: number): string {
  const cuts = tree.children.filter((node) => isComment(node) && offsetsOf(node).start >= start);
  return applySplices(text, [{ start: 0, end: start, text: "" }, ...cuts.map((node) => cut(node, text))]).trim();
}

/**
 * STATE.md as a prompt shows it: without comments and the phase diagram, which the runner draws, and with `(runner)`
 * behind each value that is the runner's. The mark does no harm in a file: such a value is overwritten whole.
 */
export function stateForPrompt(document: StateDocument): string {
  const { tree, text, fields } = document;
  const diagrams = findSections(tree, "Phases")
    .flatMap((section) => section.nodes)
    .filter((node) => node.type === "code" && node.lang === "mermaid");
  const marks = stateFields
    .filter(({ owner }) => owner === "runner")
    .map(({ key }): Splice => {
      const { start, end, labelEnd } = fields[key];
      const at = start === end ? labelEnd : end;
      return { start: at, end: at, text: " (runner)" };
    });
  const cuts = tree.children.filter((node) => isComment(node) || diagrams.includes(node));
  return applySplices(text, [...cuts.map((node) => cut(node, text)), ...marks]).trim();
}

function isComment(node: RootContent): boolean {
  return node.type === "html" && node.value.replace(/<!--[\s\S]*?-->/g, "").trim() === "";
}

/** With the empty lines behind it, so that no gap stays. */
function cut(node: RootContent, text: string): Splice {
  const { start, end } = offsetsOf(node);
  const gap = /^(?:[ \t]*(?:\r?\n|$))*/.exec(text.slice(end))?.[0].length ?? 0;
  return { start, end: end + gap, text: "" };
}
