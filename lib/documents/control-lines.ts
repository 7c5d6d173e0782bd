import type { Paragraph, PhrasingContent } from "mdast";
import { offsetsOf } from "./markdown.ts";

/** One line of a paragraph in the file. */
export interface SourceLine {
  /** 1-based. */
  readonly number: number;
  /** Of its text, without the indentation. */
  readonly start: number;
  readonly textEnd: number;
  /** Its text without comments; null if a part of it is code, a link, struck out, or a comment that goes on. */
  readonly visible: string | null;
}

export function linesOf(paragraph: Paragraph, text: string): SourceLine[] {
  const { start, end } = offsetsOf(paragraph);
  const asides = paragraph.children.flatMap(listAsides);
  const first = paragraph.position?.start.line ?? 1;
  let at = start;
  return text
    .slice(start, end)
    .split(/(?<=\n)/)
    .map((source, index) => {
      const begin = at;
      at += source.length;
      const lineStart = begin + (source.length - source.trimStart().length);
      const textEnd = lineStart + source.trim().length;
      return { number: first + index, start: lineStart, textEnd, visible: see(lineStart, textEnd) };
    });

  function see(from: number, to: number): string | null {
    const near = asides.filter((aside) => aside.start < to && aside.end > from);
    if (near.some((aside) => !aside.isComment || aside.start < from || aside.end > to)) return null;
    const kept = near.reduce(
      (line, { start: left, end: right }) => {
        return line.slice(0, left - from) + " ".repeat(right - left) + line.slice(right - from);
      },
      text.slice(from, to),
    );
    return kept.trim();
  }
}

/** The parts of a paragraph that a reader takes for something other than its words. */
function listAsides(node: PhrasingContent): { start: number; end: number; isComment: boolean }[] {
  if (node.type === "text" || node.type === "break") return [];
  if (node.type === "emphasis" || node.type === "strong") return node.children.flatMap(listAsides);
  return [{ ...offsetsOf(node), isComment: node.type === "html" && node.value.startsWith("<!--") }];
}
