import type { ListItem, Nodes, Paragraph, Root } from "mdast";
import { withoutEmoji } from "../text/cells.ts";
import { isNearLabel } from "./find-fields.ts";
import type { ListField } from "./list-fields.ts";
import { compareForm, readListFields } from "./list-fields.ts";
import { offsetsOf, plainLine, wholeLine } from "./markdown.ts";

/** One question in the text: what it is called, where its heading ends, and its fields. */
export interface FoundQuestion {
  readonly id: string;
  readonly title: string;
  readonly start: number;
  readonly nodes: readonly Nodes[];
  readonly fields: readonly QuestionField[];
}

interface Part {
  readonly number: number | null;
  readonly title: string;
  /** Depth of its heading; a line in bold is deeper than every heading. */
  readonly depth: number;
  readonly start: number;
  readonly nodes: Nodes[];
}

/**
 * The questions in the order of the file: what follows a heading, or a line in bold, that is `Q1`, `Q1: title`,
 * `Question 1. title` or the like; and a heading of any other title whose own part has the fields of a question. Those
 * without a number take the lowest free ones.
 */
export function listQuestions(tree: Root, text: string): FoundQuestion[] {
  const found = splitParts(tree).flatMap((part) => {
    const fields = readQuestionFields(part.nodes, text);
    if (part.number !== null) return [{ part, fields }];
    return asks(part.title, fields) ? [{ part: { ...part, ...readLooseNumber(part.title) }, fields }] : [];
  });
  const taken = new Set(found.map(({ part }) => part.number));
  const nextFree = (): number => {
    let number = 1;
    while (taken.has(number)) number++;
    taken.add(number);
    return number;
  };
  return found.map(({ part: { number, title, start, nodes }, fields }) => ({
    id: `Q${number ?? nextFree()}`,
    title,
    start,
    nodes,
    fields,
  }));
}

/** Headings deeper than a question's own belong to it, unless they have another number. */
function splitParts(tree: Root): Part[] {
  const parts: Part[] = [];
  for (const node of tree.children) {
    const current = parts.at(-1);
    const head = readHead(node);
    if (head === null || (current !== undefined && belongsTo(head, current))) current?.nodes.push(node);
    else parts.push({ ...head, start: offsetsOf(node).end, nodes: [] });
  }
  return parts;
}

type Head = Pick<Part, "number" | "title" | "depth">;

function belongsTo(head: Head, current: Part): boolean {
  if (head.number !== null) return head.number === current.number && head.depth > current.depth;
  if (head.depth <= current.depth) return false;
  return current.number !== null || canonicalLabel(head.title) !== null;
}

function readHead(node: Nodes): Head | null {
  if (node.type === "heading") return { ...readTitle(node), depth: node.depth };
  const [only, ...more] = node.type === "paragraph" ? node.children : [];
  if (only?.type !== "strong" || more.length > 0) return null;
  const head = readTitle(only);
  return head.number === null ? null : { ...head, depth: 7 };
}

function readTitle(node: Nodes): Pick<Part, "number" | "title"> {
  const [plain, whole] = [readNumber(plainLine(node)), readNumber(wholeLine(node))];
  return plain.number === null || whole.number === null ? plain : whole;
}

const numbered = /^(?:Q|Question)\s*[-#.]?\s*#?([1-9]\d{0,5})(?:\s*[:.)\]–—-]+\s*(.*)|\s+(.*\?)|\s*)$/i;

function readNumber(line: string): Pick<Part, "number" | "title"> {
  const title = withoutEmoji(line)
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .trim();
  const match = numbered.exec(title);
  return match === null
    ? { number: null, title: line }
    : { number: Number(match[1]), title: match[2] ?? match[3] ?? "" };
}

/** `Q1 Which encoding`: only the fields below show that it is a question. */
function readLooseNumber(title: string): Pick<Part, "number" | "title"> {
  const [, number, rest = ""] = /^\s*(?:Q|Question\s+)#?([1-9]\d{0,5})\s+(.*)$/i.exec(title) ?? [];
  return number === undefined ? { number: null, title } : { number: Number(number), title: rest };
}

/** Without a number only a heading with an Answer and what goes with one is a question. */
function asks(title: string, fields: readonly QuestionField[]): boolean {
  const has = (label: string): boolean => fields.some((field) => field.label === label);
  return has("answer") && (has("options") || has("question") || title.trim().endsWith("?"));
}

/** One `Label: value` of a question, in a list, on a line of a paragraph, or as a heading with text below it. */
interface QuestionField extends Pick<ListField, "label" | "value" | "start" | "end" | "labelEnd"> {
  /** The item as `Label: value`; null if that would no longer be a field. */
  readonly content: { readonly start: number; readonly end: number } | null;
  readonly item: ListItem | null;
  /** A value that is not there yet continues a line of its own. */
  readonly below: boolean;
}

const labels = ["Asked in", "Question", "Options", "Safe default", "Deadline", "Answer"];

/** The label of a question that is meant; null for any other text. */
function canonicalLabel(shown: string): string | null {
  const bare = shown.replace(/:\s*$/, "");
  const exact = labels.find((label) => compareForm(label) === compareForm(bare));
  const label = exact ?? labels.find((other) => isNearLabel(bare, other));
  return label === undefined ? null : compareForm(label);
}

/** The fields under a question's heading; of a label that is there twice the first counts. */
function readQuestionFields(nodes: readonly Nodes[], text: string): QuestionField[] {
  const fields: QuestionField[] = [];
  for (const [index, node] of nodes.entries()) {
    if (node.type === "list") fields.push(...readList(node, text));
    if (node.type === "paragraph") fields.push(...readParagraph(node, nodes[index + 1], text));
    if (node.type === "heading") fields.push(...readHeading(node, nodes.slice(index + 1), text));
  }
  return fields;
}

function readList(list: Extract<Nodes, { type: "list" }>, text: string): QuestionField[] {
  return readListFields(list, text).map((field) => ({
    ...field,
    label: canonicalLabel(field.shownLabel) ?? field.label,
    below: false,
  }));
}

/** `**Options:** a; b`, one a line; what is on lines without a label continues with the value above. */
function readParagraph(paragraph: Paragraph, next: Nodes | undefined, text: string): QuestionField[] {
  const { start, end } = offsetsOf(paragraph);
  const begun: { label: string; from: number; labelEnd: number }[] = [];
  let from = start;
  for (const line of text.slice(start, end).split("\n")) {
    const match =
      /^[ \t>]*(?:\*\*|__|[*_])?([A-Za-z][A-Za-z -]{2,30}?)(?:\*\*|__|[*_])?[ \t]*:(?:\*\*|__|[*_](?=\s|$))?/.exec(
        line,
      );
    const label = match === null ? null : canonicalLabel(match[1] ?? "");
    if (match !== null && label !== null) begun.push({ label, from, labelEnd: from + match[0].length });
    from += line.length + 1;
  }
  return begun.map(({ label, from: at, labelEnd }, index) => {
    const following = begun[index + 1];
    const own = makeField(label, at, labelEnd, following === undefined ? end : following.from, text);
    if (own.value !== "" || following !== undefined || next === undefined || !goesOn(next, text)) return own;
    const { start: first, end: last } = offsetsOf(next);
    return { ...own, value: text.slice(first, last).replaceAll("\r\n", "\n"), start: first, end: last, content: null };
  });
}

/** A list or a paragraph without labels of its own is the value of the label above it. */
function goesOn(node: Nodes, text: string): boolean {
  if (node.type === "list") return readListFields(node, text).length === 0;
  return node.type === "paragraph" && readParagraph(node, undefined, text).length === 0;
}

function readHeading(heading: Nodes, rest: readonly Nodes[], text: string): QuestionField[] {
  const label = canonicalLabel(plainLine(heading));
  if (label === null) return [];
  const next = rest.findIndex((node) => node.type === "heading");
  const below = (next === -1 ? rest : rest.slice(0, next)).filter(
    ({ type }) => type !== "html" && type !== "thematicBreak",
  );
  const { start, end: labelEnd } = offsetsOf(heading);
  const [first, last] = [below[0], below.at(-1)];
  const field = makeField(label, start, labelEnd, labelEnd, text);
  if (first === undefined || last === undefined) return [{ ...field, content: null, below: true }];
  const [from, to] = [offsetsOf(first).start, offsetsOf(last).end];
  return [
    {
      ...field,
      value: text.slice(from, to).replaceAll("\r\n", "\n"),
      start: from,
      end: to,
      content: null,
      below: true,
    },
  ];
}

function makeField(label: string, from: number, labelEnd: number, until: number, text: string): QuestionField {
  const source = text.slice(labelEnd, until);
  const value = source.trim();
  const start = value === "" ? labelEnd : labelEnd + source.indexOf(value);
  const end = start + value.length;
  const content = { start: from, end: value === "" ? labelEnd : end };
  return { label, value: value.replaceAll("\r\n", "\n"), start, end, labelEnd, content, item: null, below: false };
}
