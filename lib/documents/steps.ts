import type { ListItem, Nodes } from "mdast";
import type { ListedItem } from "../rules/state-view.ts";
import { oneLine } from "../rules/wording.ts";
import { orElse } from "../text/attempt.ts";
import type { Finding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import { plainText } from "./markdown.ts";
import { readTree } from "./read-tree.ts";

/** A file that an item names as its proof: `(artifacts/x.png)`, or a link to it. */
export interface NamedProof {
  readonly text: string;
  readonly done: boolean;
  /** The line of the item, from 1. */
  readonly line: number;
  /** As written, from `artifacts/` on. */
  readonly path: string;
}

export interface Steps {
  readonly items: readonly ListedItem[];
  readonly proofs: readonly NamedProof[];
}

export type StepsRead =
  | ({ readonly kind: "steps" } & Steps)
  | { readonly kind: "unreadable"; readonly findings: readonly Finding[] };

/** Whether something that must stay did, and what is wrong if it did not. */
export interface Kept {
  readonly ok: boolean;
  readonly problem: string | null;
}

/** The task list items of TASKS.md in order, nested ones included. A box with any mark but `x` is open. */
export function readSteps(bytes: Buffer, file: string): StepsRead {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return { kind: "unreadable", findings: read.findings };
  const steps = listSteps(read.tree);
  return {
    kind: "steps",
    items: steps.map(({ text, done }) => ({ text, done })),
    proofs: steps.flatMap(({ paths, ...step }) => paths.map((path) => ({ ...step, path }))),
  };
}

/**
 * True if every earlier item is still there, in any order and anywhere, with its text or more behind it, and none
 * that was ticked is open again. New items may be added.
 */
export function stepsKept(before: Buffer | null, after: Buffer): Kept {
  const was = before === null ? null : readSteps(before, "TASKS.md");
  const now = readSteps(after, "TASKS.md");
  if (now.kind === "unreadable") return { ok: false, problem: now.findings[0]?.message ?? "it cannot be read" };
  const left = new Set(now.items);
  // The longest text has the fewest items that could continue it, and a ticked one fewer than an open one.
  const earlier = was?.kind === "steps" ? [...was.items] : [];
  earlier.sort((a, b) => b.text.length - a.text.length || Number(b.done) - Number(a.done));
  for (const item of earlier) {
    const fits = [...left].filter((other) => continues(other.text, item.text) && (other.done || !item.done));
    const same = fits.filter((other) => other.text === item.text);
    const taken = same.find((other) => other.done === item.done) ?? same[0] ?? fits[0];
    if (taken === undefined) return { ok: false, problem: lostStep(item, now.items) };
    left.delete(taken);
  }
  return { ok: true, problem: null };
}

/** Whether the text equals the earlier one or only adds to its end; a final full stop may go. */
function continues(text: string, earlier: string): boolean {
  if (text === earlier) return true;
  const start = earlier.replace(/[.;:,]$/, "");
  return start !== "" && text.startsWith(start) && !/^[\p{L}\p{N}]/u.test(text.slice(start.length));
}

function lostStep(item: ListedItem, now: readonly ListedItem[]): string {
  const shown = `the item "${shorten(item.text)}"`;
  const line = `- [${item.done ? "x" : " "}] ${shorten(item.text)}`;
  const alike = now.filter((other) => continues(other.text, item.text));
  const what =
    alike.length === 0
      ? "was removed or reworded"
      : item.done && alike.every((other) => !other.done)
        ? "was unticked"
        : "appeared more often before";
  return `${shown} ${what}; keep its line, and only append to it: \`${line}\``;
}

interface Step extends Omit<NamedProof, "path"> {
  readonly paths: readonly string[];
}

function listSteps(node: Nodes): Step[] {
  if (node.type === "listItem") return [...toStep(node), ...node.children.flatMap(listSteps)];
  return "children" in node && node.type !== "blockquote" ? node.children.flatMap(listSteps) : [];
}

function toStep(item: ListItem): Step[] {
  const first = item.children[0];
  const text = first?.type === "paragraph" ? stepText(first) : "";
  const line = item.position?.start.line ?? 0;
  const paths = first?.type === "paragraph" ? namedIn(first) : [];
  if (typeof item.checked === "boolean") return [{ text, done: item.checked, line, paths }];
  // GFM knows no box but `[ ]` and `[x]`, each with space and text behind it. Others are meant as steps no less.
  const box = /^(?:\[(.?)\ufe0f?\]|([✅☑✔✓])\ufe0f?(?=\s))\s*(.*)$/u.exec(text);
  return box === null ? [] : [{ text: box[3] ?? "", done: /[xX✓✔☑✅]/u.test(box[1] ?? box[2] ?? ""), line, paths }];
}

/** The files under artifacts/ that are named in brackets or linked, each once. What is struck through names none. */
function namedIn(node: Nodes): string[] {
  const inBrackets = [...plainText(node, "left out").matchAll(/\(([^()]*)\)/g)].flatMap(([, inside = ""]) =>
    [...inside.matchAll(/(?:^|[\s,;])(?:\.\/)*(artifacts\/[^\s,;]+)/g)].map(([, path = ""]) =>
      path.replace(/[.:]$/, ""),
    ),
  );
  return [...new Set([...inBrackets, ...linkedFrom(node)])];
}

function linkedFrom(node: Nodes): string[] {
  if (node.type === "delete") return [];
  const url = node.type === "link" || node.type === "image" ? node.url.replace(/^(?:\.\/)+/, "") : "";
  const own = url.startsWith("artifacts/") ? [orElse(() => decodeURIComponent(url), url)] : [];
  return "children" in node ? [...own, ...node.children.flatMap(linkedFrom)] : own;
}

/** As a reader sees it, and what is struck through as such: that is how people remove an item. */
function stepText(node: Nodes): string {
  const show = (child: Nodes): string => {
    if (child.type === "delete") return `~~${plainText(child, "kept", "kept")}~~`;
    return "children" in child ? child.children.map(show).join("") : plainText(child, "kept", "kept");
  };
  return oneLine(show(node));
}
