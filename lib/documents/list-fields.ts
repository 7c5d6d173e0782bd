import type { List, ListItem, Nodes, Paragraph } from "mdast";
import { offsetsOf, plainText } from "./markdown.ts";

/**
 * One item `Label: value` of a list. All offsets are of the text. `value` is the source between `start` and `end`
 * with line endings as `\n`; HTML comments before and after it are no part of it.
 */
export interface ListField {
  /** For comparing: letter case, emphasis and space taken away. */
  readonly label: string;
  readonly shownLabel: string;
  readonly value: string;
  /** The value without inline marks. */
  readonly plain: string;
  /** The text without what is struck through. */
  readonly unstruck: string;
  readonly start: number;
  readonly end: number;
  /** Where the label begins, its marks included. */
  readonly labelStart: number;
  /** Right after the colon and the marks that close with it. */
  readonly labelEnd: number;
  /** The item's content, without its list marker and checkbox. */
  readonly content: { readonly start: number; readonly end: number };
  /** False if the label is written with character references, a link or the like, so that it cannot be edited. */
  readonly literal: boolean;
  readonly item: ListItem;
  readonly line: number;
  readonly column: number;
}

/** Labels compare without regard to case, emphasis and space. */
export function compareForm(label: string): string {
  return label.replace(/\s+/g, "").toLowerCase();
}

/** The items of a list that have a label; the others are no fields. */
export function readListFields(list: List, text: string): ListField[] {
  return list.children.flatMap((item) => readField(item, text) ?? []);
}

function readField(item: ListItem, text: string): ListField | null {
  const paragraph = item.children[0];
  if (paragraph?.type !== "paragraph") return null;
  const colon = findColon(paragraph.children, "", []);
  if (colon === null) return null;
  const source = findSource(paragraph, colon, text);
  const range = source === null ? null : trimRange(item, text, source);
  const content = { start: offsetsOf(paragraph).start, end: offsetsOf(item).end };
  return {
    label: compareForm(colon.label),
    shownLabel: colon.label.trim(),
    value: text.slice(range?.start ?? 0, range?.end ?? 0).replaceAll("\r\n", "\n"),
    plain: behindColon(plainText(item)),
    unstruck: behindColon(plainText(item, "left out")),
    start: range?.start ?? content.end,
    end: range?.end ?? content.end,
    labelStart: source?.from ?? content.start,
    labelEnd: source?.after ?? content.end,
    content,
    literal: source !== null,
    item,
    line: paragraph.position?.start.line ?? 1,
    column: paragraph.position?.start.column ?? 1,
  };
}

function behindColon(text: string): string {
  return text.slice(text.indexOf(":") + 1).trim();
}

interface Colon {
  /** The plain text before the first colon. */
  readonly label: string;
  /** The inline nodes around the colon, outermost first. */
  readonly around: readonly Nodes[];
}

function findColon(nodes: readonly Nodes[], before: string, around: readonly Nodes[]): Colon | null {
  let label = before;
  for (const node of nodes) {
    const text = plainText(node);
    const at = text.indexOf(":");
    if (at === -1) label += text;
    else if (node.type === "text") return { label: label + text.slice(0, at), around };
    else if ("children" in node) return findColon(node.children, label, [...around, node]);
    else return { label: label + text.slice(0, at), around: [...around, node] };
  }
  return null;
}

/**
 * The source around a label: where both begin, and the nodes that began before it and reach into it, outermost first.
 */
type ValueSource = Readonly<NonNullable<ReturnType<typeof findSource>>>;

/**
 * The first colon of the source must be the colon of the tree: what is before it, marks aside, is the label. Else
 * null: the label is not written out literally.
 */
function findSource(paragraph: Paragraph, colon: Colon, text: string) {
  const { start, end } = offsetsOf(paragraph);
  let from = start;
  for (const node of paragraph.children) {
    if (node.type === "html") from = offsetsOf(node).end;
    else if (node.type !== "text" || node.value.trim() !== "") break;
  }
  const at = text.indexOf(":", from);
  if (at === -1 || at >= end || unmarked(text.slice(from, at)) !== unmarked(colon.label)) return null;
  const endsWithColon = (node: Nodes): boolean => plainText(node).indexOf(":") === plainText(node).length - 1;
  // `**Phase:** x`: the value begins after the marks. `**Phase: x**`: they close after it.
  const closed = colon.around.find(endsWithColon);
  return {
    from,
    after: closed === undefined ? at + 1 : offsetsOf(closed).end,
    open: colon.around.filter((node) => !endsWithColon(node)),
  };
}

function unmarked(text: string): string {
  return text.replace(/[\s*_~`]+/g, "").toLowerCase();
}

/** Before the marks that close a node: `**Phase: x**`. */
function innerEnd(node: Nodes, text: string): number {
  const { start, end } = offsetsOf(node);
  const marks = /[*_~`]+$/.exec(text.slice(start, end))?.[0] ?? "";
  const width = node.type === "strong" ? 2 : node.type === "emphasis" ? 1 : marks.length;
  return end - Math.min(width, marks.length);
}

/** The value without the space and the comments around it, and without marks that hold label and value together. */
function trimRange(item: ListItem, text: string, source: ValueSource): { start: number; end: number } {
  const comments = item.children
    .flatMap((node): readonly Nodes[] => (node.type === "paragraph" ? node.children : [node]))
    .filter((node) => node.type === "html" && node.value.startsWith("<!--") && node.value.endsWith("-->"));
  const starts = new Map(comments.map((node) => [offsetsOf(node).start, offsetsOf(node).end]));
  const ends = new Map(comments.map((node) => [offsetsOf(node).end, offsetsOf(node).start]));
  let start = source.after;
  let { end } = offsetsOf(item);
  while (start < end && (isSpace(text[start]) || starts.has(start))) start = starts.get(start) ?? start + 1;
  while (end > start && (isSpace(text[end - 1]) || ends.has(end))) end = ends.get(end) ?? end - 1;
  for (const node of source.open) if (offsetsOf(node).end === end) end = innerEnd(node, text);
  while (end > start && isSpace(text[end - 1])) end--;
  return start < end ? { start, end } : { start: source.after, end: source.after };
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}
