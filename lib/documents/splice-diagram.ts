import type { Code } from "mdast";
import { isPhase } from "../rules/phases.ts";
import { offsetsOf } from "./markdown.ts";
import type { StateDocument } from "./read-state.ts";
import { listSections } from "./sections.ts";
import type { Splice } from "./splice.ts";

export interface DiagramSplice extends Splice {
  /** True if it closes a fence: what the fence hid is Markdown afterwards. */
  readonly closes: boolean;
}

/**
 * The change that draws the phases under `## Phases`; null if they are drawn already. Only lines of the runner's own
 * diagram are replaced: another diagram in the section stays, and so does every other line in the runner's fence.
 * `closing` closes a fence that nothing closes right after the diagram, so that the text behind it is text again.
 */
export function diagramSplice(document: StateDocument, diagram: string, closing: boolean): DiagramSplice | null {
  const { tree, text, list, eol } = document;
  const section = listSections(tree, 2).find(({ title }) => title.toLowerCase() === "phases");
  const fence = section?.nodes.find(isRunnersFence);
  if (fence !== undefined) return redraw(readFence(fence, text), diagram.split("\n"), eol, closing);
  const whole = ["```mermaid", ...diagram.split("\n"), "```"].join(eol);
  if (section !== undefined) return insertion(section.start, `${eol}${eol}${whole}`);
  const { end } = offsetsOf(list);
  return insertion(end, `${eol}${eol}## Phases${eol}${eol}${whole}`);
}

function insertion(at: number, text: string): DiagramSplice {
  return { start: at, end: at, text, closes: false };
}

/** A person may draw under `## Phases` too: the runner's diagram is known by where it begins. */
function isRunnersFence(node: { readonly type: string }): node is Code {
  if (node.type !== "code") return false;
  const { lang, value } = node as Code;
  const [first, ...lines] = value.split("\n").map((line) => line.trim());
  return lang === "mermaid" && first === "stateDiagram-v2" && lines.includes("[*] --> intake");
}

interface Fence {
  /** The line that closes it, without its end. */
  readonly closingLine: string;
  readonly closed: boolean;
  /** A fence that is indented takes its own indent away from each line. */
  readonly indent: string;
  /** Offset of the first line inside. */
  readonly start: number;
  /** The lines inside, with their ends. */
  readonly lines: readonly string[];
}

function readFence(fence: Code, text: string): Fence {
  const { start, end } = offsetsOf(fence);
  const [first = "", ...lines] = text.slice(start, end).split(/(?<=\n)/);
  const marks = /^(?:`{3,}|~{3,})/.exec(first)?.[0] ?? "";
  const last = lines.at(-1)?.trim() ?? "";
  const closed = last.startsWith(marks) && last === marks.charAt(0).repeat(last.length);
  const indent = " ".repeat((fence.position?.start.column ?? 1) - 1);
  return {
    closingLine: `${indent}${marks}`,
    closed,
    indent,
    start: start + first.length,
    lines: closed ? lines.slice(0, -1) : lines,
  };
}

function redraw(
  { lines, start, indent, closed, closingLine }: Fence,
  diagram: readonly string[],
  eol: string,
  closing: boolean,
): DiagramSplice | null {
  const closes = closing && !closed;
  // The text that an open fence swallowed begins with the first line that is not the runner's.
  const firstOther = closes ? lines.findIndex((line) => !isRunnersLine(line)) : -1;
  const own = firstOther === -1 ? lines : lines.slice(0, firstOther);
  const drawn = own.filter(isRunnersLine).map((line) => line.trim());
  if (!closes && drawn.join("\n") === diagram.map((line) => line.trim()).join("\n")) return null;
  const kept = own.filter((line) => !isRunnersLine(line));
  const end = start + own.join("").length;
  const draw = [...diagram.map((line) => `${indent}${line}${eol}`), ...kept];
  if (closes) draw.push(`${closingLine}${own.at(-1)?.endsWith("\n") ? eol : ""}`);
  return { start, end, text: draw.join(""), closes };
}

function isRunnersLine(line: string): boolean {
  const [, from = "", to = ""] = /^(\S+) --> (\S+)$/.exec(line.trim()) ?? [];
  if (from !== "") return [from, to].every((end) => end === "[*]" || isPhase(end));
  return /^(?:stateDiagram-v2|(\w+) : \1 \(now\)|classDef now fill:\S+|class \w+ now)$/.test(line.trim());
}
