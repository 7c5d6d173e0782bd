import type { Heading, ListItem, Paragraph, PhrasingContent, RootContent } from "mdast";
import type { ControlCommand } from "../rules/events.ts";
import { controlCommands } from "../rules/words.ts";
import { errorFinding, type Finding, warningFinding } from "../text/finding.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import { offsetsOf, plainLine } from "./markdown.ts";
import { readTree } from "./read-tree.ts";

/** One open command: it waits to be obeyed or, for PAUSE, stays in force. */
export interface OpenCommand {
  readonly command: ControlCommand;
  /** 1-based. */
  readonly line: number;
  /** The runner has noted on it that it was seen. */
  readonly seen: boolean;
  /** The text from `start` to `end` becomes `before`, then `x` or a space, then `after`. */
  readonly box: { readonly start: number; readonly end: number; readonly before: string; readonly after: string };
  /** True if a mark must write the box, since there is none yet. */
  readonly boxless: boolean;
  /** Where a note goes: behind the command's own text. */
  readonly textEnd: number;
}

export interface ReadControl {
  readonly kind: "control";
  /** Without the byte-order mark, which the offsets do not count. */
  readonly text: string;
  readonly bom: boolean;
  /** In the order of the file. */
  readonly open: readonly OpenCommand[];
  /** Words that the runner does not know, and commands that it does not read where they are. Warnings only. */
  readonly findings: readonly Finding[];
}

export type ControlRead = ReadControl | { readonly kind: "unreadable"; readonly findings: readonly Finding[] };

/**
 * The commands of CONTROL.md, in any case: a line that is just the word, or the first word of an item of a list at the
 * top level whose box is open or that has none; text behind that is the person's note. A line that is just the word
 * counts inside items as well: Markdown takes what follows an item for a part of it, and a person does not. What is in a
 * quote, code, a comment or a heading is not a command, nor is a ticked item.
 */
export function readControl(bytes: Buffer, file: string): ControlRead {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return { kind: "unreadable", findings: read.findings };
  const { text, tree } = read;
  const reads = tree.children.flatMap((node) => readBlock(node, text, file));
  return {
    kind: "control",
    text,
    bom: read.bom,
    open: reads.flatMap(({ open }) => open ?? []),
    findings: reads.flatMap(({ finding }) => finding ?? []),
  };
}

/** CONTROL.md that is not a file which could be read. */
export function unreadableControl(file: string, what: string): ControlRead {
  return { kind: "unreadable", findings: [errorFinding("TP_CONTROL_UNREADABLE", what, { file })] };
}

interface Found {
  readonly open: OpenCommand | null;
  readonly finding: Finding | null;
}

const nothing: Found = { open: null, finding: null };

function readBlock(node: RootContent, text: string, file: string): Found[] {
  switch (node.type) {
    case "paragraph":
      return linesOf(node, text).map((line) => readLine(line, file));
    case "heading":
      return [{ open: null, finding: warnOfHeading(node, file) }];
    case "list":
      return node.children.flatMap((item) => [readItem(item, text, file), ...readInside(item, text, file)]);
    default:
      return [];
  }
}

function readItem(item: ListItem, text: string, file: string): Found {
  const first = item.children[0];
  if (item.checked === true || first?.type !== "paragraph") return nothing;
  const line = item.position?.start.line ?? 1;
  const words = plainLine(first);
  const isTask = item.checked === false;
  const command = commandOf(words);
  if (command === null) {
    const boxed = words.replace(/^\[.?\]\s*/u, "");
    if (boxed !== words) return { open: null, finding: warnOfForm(boxed, words, file, line) };
    return { open: null, finding: isTask ? warnOfWord(words, file, line) : warnOfText(words, file, line) };
  }
  const box = isTask ? findBox(item, text) : { ...emptyAt(offsetsOf(first).start), before: "[", after: "] " };
  if (box === null) return nothing;
  return {
    open: { command, line, seen: isSeen(words), box, boxless: !isTask, textEnd: endOfNote(first, text) },
    finding: null,
  };
}

/** Between the brackets behind the list marker; the parser knows that a box is there and not where. */
function findBox(item: ListItem, text: string): OpenCommand["box"] | null {
  const { start, end } = offsetsOf(item);
  const match = /^((?:[-*+]|\d{1,9}[.)])\s+\[)(\s+)\]/.exec(text.slice(start, end));
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const open = start + match[1].length;
  return { start: open, end: open + match[2].length, ...noWords };
}

const noWords = { before: "", after: "" };

function emptyAt(offset: number): { start: number; end: number } {
  return { start: offset, end: offset };
}

/** The end of an item's own text: before the next line that is a command of its own. */
function endOfNote(paragraph: Paragraph, text: string): number {
  const { start, end } = offsetsOf(paragraph);
  const next = linesOf(paragraph, text).findIndex((line, index) => index > 0 && lineCommand(line) !== null);
  const until = next === -1 ? end : (linesOf(paragraph, text)[next]?.start ?? end);
  return start + text.slice(start, until).trimEnd().length;
}

/**
 * The lines of an item that are just a command, at any depth, but for the first line of each item. One that is not
 * indented was meant as a line of its own, whatever it says.
 */
function readInside(item: ListItem, text: string, file: string): Found[] {
  return item.children.flatMap((node, index): Found[] => {
    if (node.type === "list") return node.children.flatMap((inner) => readInside(inner, text, file));
    if (node.type !== "paragraph") return [];
    const lines = linesOf(node, text).slice(index === 0 ? 1 : 0);
    const isOwn = ({ start }: SourceLine) => text[start - 1] === "\n";
    return lines.map((line) => (isOwn(line) ? readLine(line, file) : { open: openLine(line), finding: null }));
  });
}

function readLine(line: SourceLine, file: string): Found {
  if (line.visible === null || lineCommand(line) !== null) return { open: openLine(line), finding: null };
  return { open: null, finding: warnOfText(line.visible, file, line.number) };
}

function openLine(line: SourceLine): OpenCommand | null {
  const said = lineCommand(line);
  if (said === null || said.box === "ticked") return null;
  const { command, seen } = said;
  const { start, textEnd } = line;
  const none = said.box === "none";
  const box = none ? { ...emptyAt(start), before: "[", after: "] " } : { start: start + 1, end: start + 2, ...noWords };
  return { command, line: line.number, seen, box, boxless: none, textEnd };
}

const known = controlCommands.join(", ");

interface LineCommand {
  readonly command: ControlCommand;
  readonly box: "none" | "open" | "ticked";
  readonly seen: boolean;
}

/**
 * The command that a line consists of, beside a box and the runner's own note; null if it says something else.
 * Emphasis, a full stop and the like are left aside.
 */
function lineCommand({ visible }: Pick<SourceLine, "visible">): LineCommand | null {
  const match = /^(?:\[([ xX])\]\s+)?[*_]*(\p{L}+)[*_]*[.:!]?[*_]*(\s+\((?:seen|done|refused)\b[^()]*\))*$/u.exec(
    visible ?? "",
  );
  const command = match?.[2] === undefined ? null : commandOf(match[2]);
  if (match === null || command === null) return null;
  // The runner gives a box to whatever it marks.
  if (match[1] === undefined && match[3] !== undefined) return null;
  const box = match[1] === undefined ? "none" : match[1] === " " ? "open" : "ticked";
  return { command, box, seen: isSeen(visible ?? "") };
}

/** The runner has noted on it that it was seen. */
function isSeen(words: string): boolean {
  return /\(seen \d{4}-\d\d-\d\dT/.test(words);
}

/** The command that a text begins with, in any case; null if it begins with another word. */
function commandOf(words: string): ControlCommand | null {
  const word = firstWord(words).toUpperCase();
  return controlCommands.find((command) => command === word) ?? null;
}

function firstWord(words: string): string {
  return /^[\p{L}\p{N}_-]+/u.exec(words)?.[0] ?? words;
}

function warnOfWord(words: string, file: string, line: number): Finding {
  const word = firstWord(words);
  const near = nearestWord(word, controlCommands);
  return warningFinding("TP_CONTROL_WORD", `'${shorten(word)}' is not a command; expected one of ${known}`, {
    file,
    line,
    fix: near === null ? "correct it, tick the item, or put it into a quote" : `did you mean ${near}?`,
  });
}

/**
 * A sentence is a person's note, unless it begins as a command would or has one in capitals. One word alone was meant
 * as a command.
 */
function warnOfText(words: string, file: string, line: number): Finding | null {
  if (words === "") return null;
  const inside = controlCommands.find((command) =>
    new RegExp(`(?<![\\p{L}\\p{N}_-])${command}(?![\\p{L}\\p{N}_-])`, "u").test(words),
  );
  const meant = commandOf(words) ?? inside;
  if (meant !== undefined) return warnOfForm(meant, words, file, line);
  const isNote = /\s/.test(words) && nearestWord(firstWord(words), controlCommands) === null;
  return isNote ? null : warnOfWord(words, file, line);
}

function warnOfHeading(heading: Heading, file: string): Finding | null {
  const words = plainLine(heading);
  if (/\s/.test(words) || commandOf(words) === null) return null;
  return warnOfForm(words, words, file, heading.position?.start.line ?? 1);
}

/** Someone who writes a command in another form believes that it was given. */
function warnOfForm(command: string, words: string, file: string, line: number): Finding | null {
  const meant = commandOf(command);
  if (meant === null || /^\[x\]/i.test(words)) return null;
  return warningFinding("TP_CONTROL_FORM", `${meant} is not read as a command in this form`, {
    file,
    line,
    fix: `write ${meant} alone on its line, or as an item: - [ ] ${meant}`,
  });
}

interface SourceLine {
  /** 1-based. */
  readonly number: number;
  /** Of its text, without the indentation. */
  readonly start: number;
  readonly textEnd: number;
  /** Its text without comments; null if a part of it is code, a link, struck out, or a comment that goes on. */
  readonly visible: string | null;
}

function linesOf(paragraph: Paragraph, text: string): SourceLine[] {
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
