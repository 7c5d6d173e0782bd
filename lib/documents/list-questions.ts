import type { Nodes, Root } from "mdast";
import { withoutEmoji } from "../text/cells.ts";
import { offsetsOf, plainLine } from "./markdown.ts";
import { canonicalLabel, type QuestionField, readQuestionFields } from "./question-fields.ts";

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
  if (node.type === "heading") return { ...readNumber(plainLine(node)), depth: node.depth };
  const [only, ...more] = node.type === "paragraph" ? node.children : [];
  if (only?.type !== "strong" || more.length > 0) return null;
  const head = readNumber(plainLine(only));
  return head.number === null ? null : { ...head, depth: 7 };
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
