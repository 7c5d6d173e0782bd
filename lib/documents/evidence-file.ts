import type { Nodes, Root } from "mdast";
import type { FeatureRow, StateView } from "../rules/state-view.ts";
import { dataError, TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import { placeOf } from "../text/redact.ts";
import { checkText, evidenceLimits } from "./check-text.ts";
import { offsetsOf, plainLine } from "./markdown.ts";
import { readTree } from "./read-tree.ts";
import { readFeatures } from "./sections.ts";
import { applySplices, withBom } from "./splice.ts";
import type { Kept } from "./steps.ts";

/**
 * EVIDENCE.md has two owners. The runner's parts are between `<!-- task-phase:begin NAME -->` and
 * `<!-- task-phase:end NAME -->`, each a block of its own; everything else is the agent's.
 */
export type EvidenceRead =
  | {
      readonly kind: "evidence";
      /** By name, without the space around them, line endings as `\n`. */
      readonly parts: Readonly<Record<string, string>>;
      /** Table rows and list items outside the parts, each on one line. */
      readonly agentRows: readonly string[];
      /** The tables under Visible features outside the parts. */
      readonly features: readonly FeatureRow[];
    }
  | {
      readonly kind: "unreadable";
      readonly findings: readonly Finding[];
      readonly parts: Readonly<Record<string, never>>;
      readonly agentRows: readonly [];
      readonly features: readonly [];
    };

const nothing = { parts: {}, agentRows: [], features: [] } as const;

export function readEvidence(bytes: Buffer, file = "EVIDENCE.md"): EvidenceRead {
  const read = readTree(bytes, file, evidenceLimits);
  if (read.kind === "bad") return { kind: "unreadable", findings: read.findings, ...nothing };
  const found = findParts(read.tree, read.text, file);
  if (found.kind === "unreadable") return { ...found, ...nothing };
  const crowded = crowdsOut(read.text, found.parts, file);
  if (crowded !== null) return { kind: "unreadable", findings: [crowded], ...nothing };
  const parts = Object.fromEntries(found.parts.map((part) => [part.name, partText(read.text, part)]));
  const own = read.tree.children.filter((node) => {
    const { start } = offsetsOf(node);
    return !found.parts.some((part) => part.start <= start && start < part.end);
  });
  const features = readFeatures({ type: "root", children: own });
  return { kind: "evidence", parts, agentRows: own.flatMap(listRows), features };
}

/** The agent's own part of EVIDENCE.md. */
export type AgentEvidence = Pick<Extract<EvidenceRead, { kind: "evidence" }>, "agentRows" | "features">;

/** The state with the feature checklist of EVIDENCE.md if STATE.md holds none. */
export function withFeatures(state: StateView, { features }: AgentEvidence): StateView {
  return state.features.length > 0 ? state : { ...state, features };
}

/**
 * The runner's parts take up to half of what may be read of the file, so what is not theirs must fit into the other.
 */
function crowdsOut(text: string, parts: readonly Part[], file: string): Finding | null {
  let own = "";
  let from = 0;
  for (const part of parts) {
    own += text.slice(from, part.start);
    from = part.end;
  }
  own += text.slice(from);
  if (checkText(Buffer.from(`${own}\n\n${own}`), file, evidenceLimits).kind === "text") return null;
  const message = "the text outside the runner's parts takes more than half of the size limit";
  return errorFinding("TP_EVIDENCE_TOO_BIG", message, {
    file,
    fix: "move the long parts to files under artifacts/ and link them",
  });
}

/**
 * The text with these parts, every other byte kept; a part that is missing is added at the end. Takes and gives the
 * whole text, a byte-order mark included. Throws a data error if marks are doubled or unclosed.
 */
export function setParts(text: string, parts: Readonly<Record<string, string>>, file = "EVIDENCE.md"): string {
  const read = readTree(Buffer.from(text), file, evidenceLimits);
  const found = read.kind === "bad" ? null : findParts(read.tree, read.text, file);
  if (read.kind === "bad") throw new TaskPhaseError("data", read.findings);
  if (found?.kind !== "parts") throw new TaskPhaseError("data", found?.findings ?? []);
  const eol = read.text.includes("\r\n") ? "\r\n" : "\n";
  const splices = [];
  let added = "";
  for (const [name, content] of Object.entries(parts)) {
    const part = found.parts.find((other) => other.name === name);
    const lines = content.trim().replace(/\r\n|\n/g, eol);
    const inner = lines === "" ? eol : `${eol}${eol}${lines}${eol}${eol}`;
    if (part === undefined)
      added += `${eol}<!-- task-phase:begin ${name} -->${inner}<!-- task-phase:end ${name} -->${eol}`;
    else if (partText(read.text, part) !== content.trim().replaceAll("\r\n", "\n")) {
      splices.push({ start: part.innerStart, end: part.innerEnd, text: inner });
    }
  }
  const body = applySplices(read.text, splices);
  const gap = added === "" || body === "" || body.endsWith("\n") ? "" : eol;
  const whole = withBom(read, `${body}${gap}${added}`);
  verifyParts(whole, parts, file);
  return whole;
}

/** True if the runner's parts are those of before. */
export function sameParts(before: Buffer | null, after: Buffer): Kept {
  const was = before === null ? null : readEvidence(before);
  const now = readEvidence(after);
  if (now.kind === "unreadable") return { ok: false, problem: now.findings[0]?.message ?? "it cannot be read" };
  const old = was?.parts ?? {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(now.parts)])) {
    if (old[name] === now.parts[name]) continue;
    const how = now.parts[name] === undefined ? "removed" : old[name] === undefined ? "added" : "changed";
    return { ok: false, problem: `the runner's part \`${name}\` was ${how}` };
  }
  return { ok: true, problem: null };
}

interface Part {
  readonly name: string;
  readonly start: number;
  readonly innerStart: number;
  readonly innerEnd: number;
  readonly end: number;
}

function findParts(
  tree: Root,
  text: string,
  file: string,
): { kind: "parts"; parts: Part[] } | { kind: "unreadable"; findings: Finding[] } {
  const parts: Part[] = [];
  let open: { name: string; start: number; end: number } | null = null;
  for (const node of tree.children) {
    const mark =
      node.type === "html" ? /^<!-- task-phase:(begin|end) ([a-z0-9_-]{1,40}) -->\s*$/.exec(node.value) : null;
    if (mark === null) continue;
    const [, kind, name = ""] = mark;
    const { start, end } = offsetsOf(node);
    const fits = kind === "begin" ? open === null && !parts.some((part) => part.name === name) : open?.name === name;
    if (!fits) return { kind: "unreadable", findings: [badMark(`${kind} ${name}`, start, text, file)] };
    if (open !== null) parts.push({ name, start: open.start, innerStart: open.end, innerEnd: start, end });
    open = open === null ? { name, start, end } : null;
  }
  if (open === null) return { kind: "parts", parts };
  return { kind: "unreadable", findings: [badMark(`begin ${open.name}`, open.start, text, file)] };
}

function badMark(mark: string, offset: number, text: string, file: string): Finding {
  const message = `the mark \`task-phase:${mark}\` appears twice or has no counterpart`;
  const fix =
    "each runner part appears once, between its begin and end mark; restore the file from git or remove the extra mark";
  return errorFinding("TP_EVIDENCE_MARKS", message, { file, ...placeOf(text, offset), fix });
}

function partText(text: string, part: Part): string {
  return text.slice(part.innerStart, part.innerEnd).replaceAll("\r\n", "\n").trim();
}

/** A part must not swallow its own end mark, such as by an open comment or fence. */
function verifyParts(text: string, parts: Readonly<Record<string, string>>, file: string): void {
  const read = readEvidence(Buffer.from(text), file);
  for (const [name, content] of Object.entries(parts)) {
    const stands = read.parts[name];
    if (stands === content.trim().replaceAll("\r\n", "\n")) continue;
    const why = read.kind === "unreadable" ? `: ${read.findings[0]?.message}` : "";
    throw dataError("TP_EVIDENCE_MARKS", `the part \`${name}\` cannot be written into the file${why}`, { file });
  }
}

function listRows(node: Nodes): string[] {
  if (node.type === "table") return node.children.slice(1).map((row) => row.children.map(plainLine).join(" | "));
  if (node.type === "listItem") return [plainLine(node)];
  return "children" in node ? node.children.flatMap(listRows) : [];
}
