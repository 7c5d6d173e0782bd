import type { ListItem, Nodes } from "mdast";
import type { ListedItem } from "../machine/state-view.ts";
import type { Finding } from "../report/finding.ts";
import { shorten } from "../text/shorten.ts";
import { plainLine } from "./markdown.ts";
import { readTree } from "./read-tree.ts";

export type StepsRead =
  | { readonly kind: "steps"; readonly items: readonly ListedItem[] }
  | { readonly kind: "unreadable"; readonly findings: readonly Finding[] };

/** Whether something that must stay did, and what is wrong where it did not. */
export interface Kept {
  readonly ok: boolean;
  readonly problem: string | null;
}

/** The task list items of TASKS.md in order, nested ones included. A box with any mark but `x` is open. */
export function readSteps(bytes: Buffer, file: string): StepsRead {
  const read = readTree(bytes, file);
  if (read.kind === "bad") return { kind: "unreadable", findings: read.findings };
  return { kind: "steps", items: listSteps(read.tree) };
}

/**
 * True where every earlier item still stands there in the same order with the same text, and none that was ticked is
 * open again. New items may stand anywhere between them.
 */
export function stepsKept(before: Buffer | null, after: Buffer): Kept {
  const was = before === null ? null : readSteps(before, "TASKS.md");
  const now = readSteps(after, "TASKS.md");
  if (now.kind === "unreadable") return { ok: false, problem: now.findings[0]?.message ?? "it cannot be read" };
  const left = [...now.items];
  for (const item of was?.kind === "steps" ? was.items : []) {
    const at = left.findIndex((other) => other.text === item.text && (other.done || !item.done));
    if (at === -1) return { ok: false, problem: lostStep(item, now.items) };
    left.splice(0, at + 1);
  }
  return { ok: true, problem: null };
}

function lostStep(item: ListedItem, now: readonly ListedItem[]): string {
  const shown = `the item "${shorten(item.text)}"`;
  if (!now.some((other) => other.text === item.text)) return `${shown} was removed or reworded`;
  const open = item.done && !now.some((other) => other.text === item.text && other.done);
  return `${shown} was ${open ? "unticked" : "moved"}`;
}

function listSteps(node: Nodes): ListedItem[] {
  if (node.type === "listItem") return [...toStep(node), ...node.children.flatMap(listSteps)];
  return "children" in node && node.type !== "blockquote" ? node.children.flatMap(listSteps) : [];
}

function toStep(item: ListItem): ListedItem[] {
  const first = item.children[0];
  const text = first?.type === "paragraph" ? plainLine(first) : "";
  if (typeof item.checked === "boolean") return [{ text, done: item.checked }];
  // GFM knows no box but `[ ]` and `[x]`, each with text behind it. `[-]` or an empty item is still meant as a step.
  const other = /^\[.?\](?:\s+(.*))?$/u.exec(text);
  return other === null ? [] : [{ text: other[1] ?? "", done: false }];
}
