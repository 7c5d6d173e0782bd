import { isDeepStrictEqual } from "node:util";
import type { Root, Yaml } from "mdast";
import { errorFinding, type Finding } from "../text/finding.ts";
import { asObject } from "../text/json-object.ts";
import type { Contract } from "./contract.ts";
import type { PartialContract } from "./contract-schema.ts";
import { offsetsOf, plainText } from "./markdown.ts";
import { dropComments } from "./prompt-text.ts";
import { readContract } from "./read-contract.ts";
import { readTree } from "./read-tree.ts";
import { readStrictYaml } from "./strict-yaml.ts";

export type BriefRead =
  | {
      readonly kind: "brief";
      /** The whole file. */
      readonly bytes: Buffer;
      readonly contract: Contract;
      readonly title: string;
      readonly body: string;
      /** The body without comments, as the model gets it. */
      readonly wish: string;
      /** The body holds headings, comments and placeholders alone. */
      readonly isEmpty: boolean;
    }
  /** `data`: cannot be read as Markdown with YAML front matter. `config`: readable, but the contract is wrong. */
  | { readonly kind: "bad"; readonly exit: "data" | "config"; readonly findings: readonly Finding[] };

/** Reads README.md: its front matter is the task's contract, and what follows is for the model. */
export function readBrief(bytes: Buffer, file: string, defaults: PartialContract = {}): BriefRead {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return { kind: "bad", exit: "data", findings: read.findings };
  const first = read.tree.children[0];
  if (first?.type !== "yaml") return { kind: "bad", exit: "data", findings: [noContract(read.text, file)] };
  const front = readContract(frontMatter(first, read.text), file, defaults);
  if (front.kind === "bad") return front;
  const { contract } = front;
  return {
    kind: "brief",
    bytes,
    contract,
    title: contract.title,
    body: read.text.slice(offsetsOf(first).end).trim(),
    wish: dropComments(read.tree, read.text, offsetsOf(first).end),
    isEmpty: saysNothing(read.tree, read.text),
  };
}

/** The front matter as plain values, whatever its keys, and the text below it; null if it cannot be read. */
function frontMatterOf(bytes: Buffer): { keys: Readonly<Record<string, unknown>>; body: string } | null {
  const parts = readParts(bytes, "README.md");
  return parts.kind === "bad" || parts.front === null ? null : { keys: parts.front.keys, body: parts.body };
}

/**
 * What differs between two briefs: the keys of the front matter, sorted, and `text` if what is below it differs.
 * Null if one of them cannot be read.
 */
export function briefChanges(before: Buffer, after: Buffer): string[] | null {
  const [was, now] = [frontMatterOf(before), frontMatterOf(after)];
  if (was === null || now === null) return null;
  const names = [...new Set([...Object.keys(was.keys), ...Object.keys(now.keys)])].sort();
  const keys = names.filter((name) => !isDeepStrictEqual(was.keys[name], now.keys[name]));
  return withPlainEnds(was.body) === withPlainEnds(now.body) ? keys : [...keys, "text"];
}

/** An editor may save line ends anew, drop the space before them, and put a mark at the beginning. */
export function withPlainEnds(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/[ \t]*\r?\n/g, "\n");
}

/** Markdown that may begin with front matter, taken apart; `lines` are those between its marks, as they are. */
export type BriefParts =
  | {
      readonly kind: "parts";
      readonly front: { readonly keys: Readonly<Record<string, unknown>>; readonly lines: string } | null;
      readonly body: string;
      /** The text of the first heading of level 1; null if the body does not begin with one. */
      readonly heading: string | null;
    }
  | { readonly kind: "bad"; readonly findings: readonly Finding[] };

export function readParts(bytes: Buffer, file: string): BriefParts {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return read;
  const [first, second] = read.tree.children;
  const opening = first?.type === "yaml" ? second : first;
  const heading = opening?.type === "heading" && opening.depth === 1 ? plainText(opening).trim() : "";
  const parts = { kind: "parts", heading: heading === "" ? null : heading } as const;
  if (first?.type !== "yaml") return { ...parts, front: null, body: read.text.trim() };
  const lines = frontMatter(first, read.text);
  const yaml = readStrictYaml({ text: lines, file, linesBefore: 1 });
  if (yaml.kind === "bad") return yaml;
  const keys = asObject(yaml.value);
  if (keys === null) return { kind: "bad", findings: [noMap(file)] };
  return { ...parts, front: { keys, lines }, body: read.text.slice(offsetsOf(first).end).trim() };
}

function noMap(file: string): Finding {
  const place = { file, line: 1, column: 1, fix: "write keys and values, such as `priority: 5`" };
  return errorFinding("TP_BRIEF_NO_CONTRACT", "the front matter is not a list of keys", place);
}

/** Between the first and the last line of the node. */
function frontMatter(node: Yaml, text: string): string {
  const { start, end } = offsetsOf(node);
  const source = text.slice(start, end);
  return source.slice(source.indexOf("\n") + 1, source.lastIndexOf("\n") + 1);
}

function noContract(text: string, file: string): Finding {
  const opened = /^---[ \t]*\r?\n/.test(text);
  const message = opened
    ? "the front matter that begins at line 1 is never closed"
    : "line 1 must be `---`, the beginning of the task's contract";
  const fix = opened ? "end the front matter with a line `---`" : "put front matter with `id` and `title` at the top";
  return errorFinding("TP_BRIEF_NO_CONTRACT", message, { file, line: 1, column: 1, fix });
}

const placeholders = new Set(["", "tbd", "todo", "?", "-"]);

/**
 * True if a brief says nothing below its front matter: a model can do no work for it. Headings only name what is to
 * come and comments are advice, so the text of a new brief counts as nothing.
 */
function saysNothing(tree: Root, text: string): boolean {
  return tree.children.every((node) => {
    if (["yaml", "heading", "thematicBreak", "definition"].includes(node.type)) return true;
    const { start, end } = offsetsOf(node);
    return placeholders.has(withoutComments(text.slice(start, end)).trim().toLowerCase());
  });
}

function withoutComments(source: string): string {
  return source.replace(/<!--[\s\S]*?(?:-->|$)/g, "");
}
