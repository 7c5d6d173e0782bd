import type { List, ListItem, Nodes, RootContent } from "mdast";
import type { ReviewFinding, Severity } from "../rules/facts.ts";
import { oneLine } from "../rules/wording.ts";
import { severities } from "../rules/words.ts";
import { escapeForTerminal, shorten } from "../text/shorten.ts";
import type { TextLimits } from "./check-text.ts";
import { plainLine, plainText } from "./markdown.ts";
import { readTree } from "./read-tree.ts";
import { findSections, type Section } from "./sections.ts";

export type ReportRead =
  | { readonly kind: "report"; readonly findings: readonly ReviewFinding[] }
  /** The problem, as a sentence without its subject. */
  | { readonly kind: "unreadable"; readonly problem: string };

/** More are no findings but noise; the most severe are kept. */
export const mostFindings = 50;
const mostText = 2_000;
/** Bytes of the end of a model's output, from which a report is read. */
const limits: TextLimits = { maxBytes: 256 * 1024, maxLineLength: 16_000, maxLines: 8_000 };
const expected =
  "a section `## Findings` with one item `- [blocking] text` for each finding, or the single word none if there is no finding; a report that is only the word none also counts";

/**
 * Reads what a reviewer reported: the list under `Findings`, each item with its severity in front, or the word `none`,
 * which is also a whole report if nothing is beside it.
 * What is in a code block, a quote or a comment is not part of it. A report that cannot be read for certain is
 * unreadable as a whole: half of one could lack what blocks.
 */
export function readReport(text: string): ReportRead {
  if (text.trim() === "") return unreadable(`it is empty; expected ${expected}`);
  // No parser takes these, and a report is not worth losing for one of them.
  const clean = text.replace(/[\0\u2028\u2029]/g, " ").replace(/\r\n?/g, "\n");
  if (isNone(clean.trim().replace(/^[*_`]{1,3}|[*_`]{1,3}$/g, ""))) return { kind: "report", findings: [] };
  const read = readTree(Buffer.from(clean), "report", limits);
  if (read.kind === "bad") return unreadable(`its report cannot be read: ${read.findings[0]?.message ?? "unknown"}`);
  const sections = ["Findings", "Findings:"].flatMap((title) => findSections(read.tree, title));
  if (sections.length === 0) return unreadable(`its report has no section Findings; expected ${expected}`);
  const items = sections.flatMap(listItems).map(readItem);
  const bad = items.find((item) => typeof item === "string");
  if (bad !== undefined) return unreadable(bad);
  const found = items.filter((item) => typeof item === "object" && item !== null);
  if (found.length === 0 && !items.includes(null) && !sections.some(saysNone)) {
    return unreadable(`its section Findings has no finding; expected ${expected}`);
  }
  return { kind: "report", findings: cut(found) };
}

/** The most severe first; those of one severity in the order of the report. */
export function bySeverity<Finding extends ReviewFinding>(findings: readonly Finding[]): Finding[] {
  return severities.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
}

function listItems({ nodes }: Section): ListItem[] {
  return nodes.filter((node): node is List => node.type === "list").flatMap((list) => list.children);
}

const severe = /^(?:\[\s*([^\]]*?)\s*\]:?|(\w+):)\s*(.*)$/su;

/** A finding, null for `none`, or what is wrong. */
function readItem(item: ListItem): ReviewFinding | null | string {
  const line = oneLine(escapeForTerminal(textOf(item, "left out")));
  if (isNone(line)) return null;
  const [, bracketed, colon, rest = ""] =
    severe.exec(oneLine(escapeForTerminal(textOf(item, "kept")))) ?? severe.exec(line) ?? [];
  const word = (bracketed ?? colon ?? "").toLowerCase();
  const severity = severities.find((known): known is Severity => known === word);
  if (severity === undefined) {
    return `its finding "${shorten(line)}" does not start with a severity; expected one of ${severities.map((known) => `[${known}]`).join(", ")}`;
  }
  if (rest === "") return `a finding of its report says [${severity}] and nothing else; expected what is wrong`;
  // Never within a character.
  const text = rest.length <= mostText ? rest : `${rest.slice(0, mostText - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
  return { severity, text };
}

/** `[minor]: word` is meant as a finding, and Markdown takes it for the address of a link. */
function textOf(item: ListItem, html: "kept" | "left out"): string {
  const [first, ...rest] = item.children;
  const show = (node: Nodes) => plainText(node, "kept", html);
  if (first?.type !== "definition") return show(item);
  return [`[${first.identifier}] ${first.url} ${first.title ?? ""}`, ...rest.map(show)].join("\n");
}

function cut(findings: readonly ReviewFinding[]): ReviewFinding[] {
  const sorted = bySeverity(findings);
  if (sorted.length <= mostFindings) return sorted;
  const text = `${sorted.length - mostFindings} further findings of the report are left out here`;
  return [...sorted.slice(0, mostFindings), { severity: "note", text }];
}

function saysNone({ nodes }: Section): boolean {
  return nodes.some((node: RootContent) => node.type === "paragraph" && isNone(escapeForTerminal(plainLine(node))));
}

function isNone(line: string): boolean {
  return /^(?:none|no findings)\.?$/i.test(line);
}

function unreadable(problem: string): ReportRead {
  return { kind: "unreadable", problem };
}
