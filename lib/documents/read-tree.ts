import type { Root } from "mdast";
import { catchForeseen } from "../text/attempt.ts";
import type { Finding } from "../text/finding.ts";
import { checkText, type TextLimits } from "./check-text.ts";
import { parseMarkdown } from "./markdown.ts";

export type TreeRead =
  | { readonly kind: "tree"; readonly text: string; readonly bom: boolean; readonly tree: Root }
  | { readonly kind: "bad"; readonly findings: readonly Finding[] };

/** Guards and parses the bytes of one task file. Never throws for what is in the file. */
export function readTree(bytes: Buffer, file: string, limits?: TextLimits): TreeRead {
  const checked = checkText(bytes, file, limits);
  if (checked.kind === "bad") return checked;
  const { text, bom } = checked;
  const read = (): TreeRead => {
    const tree = parseOnce(text);
    recordNewest(file, { text, tree });
    return { kind: "tree", text, bom, tree };
  };
  return catchForeseen(read, ({ findings }) => ({
    kind: "bad",
    findings: findings.map((finding) => ({ ...finding, file })),
  }));
}

/** In characters of text; a tree takes some forty times as much memory. */
const keptText = 256 * 1024;
const parsed = new Map<string, Root>();

/**
 * A pass reads the same few files at each of its stages, and parsing is most of its own work. The tree is shared by all
 * readers of that text: do not change it.
 */
function parseOnce(text: string): Root {
  const tree = parsed.get(text) ?? findTree(text) ?? parseMarkdown(text);
  // The newest is last; the oldest go first.
  parsed.delete(text);
  parsed.set(text, tree);
  let kept = 0;
  for (const key of [...parsed.keys()].reverse()) {
    kept += key.length;
    if (kept > keptText) parsed.delete(key);
  }
  return tree;
}

export interface ParsedText {
  readonly text: string;
  readonly tree: Root;
}

let findTree: (text: string) => Root | undefined = () => undefined;

/** Where a tree is looked for before a text is parsed; what is found must be what `parseMarkdown` gives. */
export function useTreeCache(find: (text: string) => Root | undefined): void {
  findTree = find;
}

/** More files than a task has. */
const mostFiles = 16;
const newest = new Map<string, ParsedText>();

/** What was read last under the name of this file, of those that were read a short time ago. */
export function newestTree(file: string): ParsedText | undefined {
  return newest.get(file);
}

function recordNewest(file: string, parsedText: ParsedText): void {
  newest.delete(file);
  newest.set(file, parsedText);
  for (const oldest of newest.keys()) if (newest.size > mostFiles) newest.delete(oldest);
}
