import { mdInline } from "./markdown-escape.ts";
import { mdCodeCell } from "./markdown-nodes.ts";

/** A stretch of text, and whether it was between code marks. */
export interface ProsePart {
  readonly text: string;
  readonly code: boolean;
}

/**
 * The text of a field in parts, so that what was between single code marks can be shown as code. Nothing is lost but
 * the marks.
 */
export function splitProse(text: string): ProsePart[] {
  return text
    .split(/(?<!`)`([^`\n]+)`(?!`)/)
    .map((part, index) => {
      const code = index % 2 === 1;
      return code && part.trim() === "" ? { text: `\`${part}\``, code: false } : { text: part, code };
    })
    .filter((part) => part.text !== "");
}

/** The text as a cell of a table; code marks are kept, all other Markdown shows as it was typed. */
export function mdProse(text: string): string {
  const parts = splitProse(text).map((part) => (part.code ? mdCodeCell(part.text) : spaced(part.text)));
  return parts.join("").trim() || "–";
}

/** Escaping trims, and the space between a word and code is wanted. */
function spaced(text: string): string {
  return `${/^\s/.test(text) ? " " : ""}${mdInline(text)}${/\s$/.test(text) ? " " : ""}`;
}
