import type { List, ListItem } from "mdast";
import { type ControlCommand, controlCommands } from "../machine/events.ts";
import { errorFinding, type Finding, warningFinding } from "../report/finding.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import { offsetsOf, plainLine } from "./markdown.ts";
import { readTree } from "./read-tree.ts";

/** One command whose box is open: it waits to be obeyed, or, as PAUSE, holds. */
export interface OpenCommand {
  readonly command: ControlCommand;
  /** 1-based. */
  readonly line: number;
  /** The runner has noted on it that it was seen. */
  readonly seen: boolean;
  /** Offsets of what is between the brackets of the box, and of the end of the item's own text. */
  readonly box: { readonly start: number; readonly end: number };
  readonly textEnd: number;
}

export interface ReadControl {
  readonly kind: "control";
  /** Without the byte-order mark, which the offsets do not count. */
  readonly text: string;
  readonly bom: boolean;
  /** In the order of the file. */
  readonly open: readonly OpenCommand[];
  /** Open items that say nothing the runner knows, and commands that are no task items. Warnings only. */
  readonly findings: readonly Finding[];
}

export type ControlRead = ReadControl | { readonly kind: "unreadable"; readonly findings: readonly Finding[] };

const known = controlCommands.join(", ");

/**
 * The commands of CONTROL.md: the task items of every list at the top level, by their first word, in any case; text
 * behind it is the person's note. What is in a quote, a code block, a comment or a nested list is not a command.
 */
export function readControl(bytes: Buffer, file: string): ControlRead {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return { kind: "unreadable", findings: read.findings };
  const items = read.tree.children
    .filter((node): node is List => node.type === "list")
    .flatMap((list) => list.children)
    .map((item) => readItem(item, read.text, file));
  return {
    kind: "control",
    text: read.text,
    bom: read.bom,
    open: items.flatMap((item) => item.open ?? []),
    findings: items.flatMap((item) => item.finding ?? []),
  };
}

/** CONTROL.md that is not a file which could be read. */
export function unreadableControl(file: string, what: string): ControlRead {
  return { kind: "unreadable", findings: [errorFinding("TP_CONTROL_UNREADABLE", what, { file })] };
}

interface ReadItem {
  readonly open: OpenCommand | null;
  readonly finding: Finding | null;
}

const nothing: ReadItem = { open: null, finding: null };

function readItem(item: ListItem, text: string, file: string): ReadItem {
  const first = item.children[0];
  if (item.checked === true || first?.type !== "paragraph") return nothing;
  const line = item.position?.start.line ?? 1;
  const words = plainLine(first);
  if (typeof item.checked !== "boolean") return { open: null, finding: warnOfForm(words, file, line) };
  const command = commandOf(words);
  if (command === null) return { open: null, finding: warnOfWord(words, file, line) };
  const box = findBox(item, text);
  const { start, end } = offsetsOf(first);
  const textEnd = start + text.slice(start, end).trimEnd().length;
  const seen = /\(seen \d{4}-\d\d-\d\dT/.test(words);
  return box === null ? nothing : { open: { command, line, seen, box, textEnd }, finding: null };
}

/** Between the brackets behind the list marker; the parser knows that a box is there and not where. */
function findBox(item: ListItem, text: string): OpenCommand["box"] | null {
  const { start, end } = offsetsOf(item);
  const match = /^((?:[-*+]|\d{1,9}[.)])\s+\[)(\s+)\]/.exec(text.slice(start, end));
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const open = start + match[1].length;
  return { start: open, end: open + match[2].length };
}

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
    fix: near === null ? "correct it, or tick the item" : `did you mean ${near}?`,
  });
}

/** Someone who writes a command without its box believes that it was given. */
function warnOfForm(words: string, file: string, line: number): Finding | null {
  const command = commandOf(words.replace(/^\[.?\]\s*/u, ""));
  if (command === null || /^\[x\]/i.test(words)) return null;
  return warningFinding("TP_CONTROL_FORM", `${command} has no open box here, so it is not a command`, {
    file,
    line,
    fix: `write it as: - [ ] ${command}`,
  });
}
