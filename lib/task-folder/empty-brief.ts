import type { Root } from "mdast";
import { offsetsOf } from "./markdown.ts";

const placeholders = new Set(["", "tbd", "todo", "?", "-"]);

/**
 * True if a brief says nothing below its front matter: a model can do no work for it. Headings only name what is to
 * come and comments are advice, so the text of a new brief counts as nothing.
 */
export function saysNothing(tree: Root, text: string): boolean {
  return tree.children.every((node) => {
    if (["yaml", "heading", "thematicBreak", "definition"].includes(node.type)) return true;
    const { start, end } = offsetsOf(node);
    return placeholders.has(withoutComments(text.slice(start, end)).trim().toLowerCase());
  });
}

function withoutComments(source: string): string {
  return source.replace(/<!--[\s\S]*?(?:-->|$)/g, "");
}
