import type { Nodes, Root } from "mdast";
import { readBrief } from "../../documents/brief.ts";
import { offsetsOf, plainLine } from "../../documents/markdown.ts";
import { readTree } from "../../documents/read-tree.ts";
import { editState, readState, stateText } from "../../documents/state.ts";
import { readSteps } from "../../documents/steps.ts";
import {
  heading,
  item,
  list,
  mdFence,
  source,
  words,
  writeMarkdown,
} from "../../documents/templates/markdown-nodes.ts";
import { mdProse } from "../../documents/templates/render-template.ts";
import { showHidden, showOneLine, showShort } from "../../documents/templates/visible.ts";
import { catchForeseen } from "../../text/attempt.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { type Finding, hasErrors } from "../../text/finding.ts";
import { yamlString } from "../../text/yaml-string.ts";
import { type InitPlan, type InitRequest, planInit } from "../init/plan-init.ts";
import { ownWords } from "./edit-prd.ts";
import type { Prd, Story } from "./prd-shape.ts";

export interface TaskText {
  /** The brief below its front matter. */
  readonly body: string;
  /** Lines at the end of the brief's front matter. */
  readonly frontLines: readonly string[];
  /** Acceptance criteria; none: no TASKS.md and an empty Done gate. */
  readonly criteria: readonly string[];
}

export type MadeFiles =
  | { readonly kind: "files"; readonly files: InitPlan["files"] }
  | { readonly kind: "bad"; readonly findings: readonly Finding[] };

/** A Done gate is read at a glance; what is longer is in TASKS.md alone. */
const mostInGate = 1_000;

/** The files of a task folder, each proven to be readable. Never throws for what is in the text. */
export function makeTaskFiles(request: InitRequest, text: TaskText): MadeFiles {
  const make = (): MadeFiles => {
    const plan = planInit({ ...request, withTasks: text.criteria.length > 0 });
    const files = plan.files.map(({ name, content }) => ({ name, content: fill(name, content, text) }));
    const findings = files.flatMap(({ name, content }) => readers[name]?.(Buffer.from(content), name).findings ?? []);
    return hasErrors(findings) ? { kind: "bad", findings } : { kind: "files", files };
  };
  return catchForeseen(make, ({ findings }) => ({ kind: "bad", findings }));
}

export function headingOf(title: string): string {
  return writeMarkdown(heading(1, words`${showShort(title, 200)}`)).trimEnd();
}

function fill(name: string, content: string, { body, frontLines, criteria }: TaskText): string {
  if (name === "README.md") return replaceBody(content, body, frontLines);
  if (name === "TASKS.md")
    return `${content}\n${writeMarkdown(list(criteria.map((text) => item(source(asLine(text)), undefined, false))))}`;
  if (name !== "STATE.md" || criteria.length === 0) return content;
  const read = readState(Buffer.from(content), name);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return stateText(editState(read.document, { done_gate: doneGate(criteria) }));
}

function doneGate(criteria: readonly string[]): string {
  const all = asLine(criteria.map((text) => text.replace(/[\s.;]+$/, "")).join("; "));
  return all.length <= mostInGate ? all : `All ${criteria.length} acceptance criteria of TASKS.md are met`;
}

type Reader = (bytes: Buffer, name: string) => { readonly kind: string; readonly findings?: readonly Finding[] };

const readers: Readonly<Record<string, Reader>> = {
  "README.md": readBrief,
  "STATE.md": readState,
  "TASKS.md": readSteps,
};

/** In every brief that an import made. A later import recognises its own tasks by it. */
export const importedMark = "<!-- task-phase:imported -->";

/** A brief of the template with lines of its own at the end of its front matter, and with another body. */
function replaceBody(brief: string, body: string, frontLines: readonly string[]): string {
  const read = readTree(Buffer.from(brief), "README.md");
  const first = read.kind === "tree" ? read.tree.children[0] : undefined;
  if (read.kind === "bad" || first?.type !== "yaml") throw new Error("the template of the brief has no front matter");
  const closing = offsetsOf(first).end - "---".length;
  const front = `${brief.slice(0, closing)}${frontLines.map((line) => `${line}\n`).join("")}---`;
  return `${front}\n\n${body.trim()}\n`;
}

/** The front matter that a loop's cap and promise become. */
export function loopLines(passes: number | null, promise: string | null | undefined): string[] {
  return [
    ...(passes === null ? [] : [`budget: { passes: ${passes} }   # the cap of the loop that this was imported from`]),
    ...(promise === undefined ? [] : [`completion_promise: ${promise === null ? "null" : yamlString(promise)}`]),
  ];
}

/** The text of a story for the brief: its description, else its title. */
export function wishOf(story: Story): string {
  const wanted = story.description?.trim() ?? "";
  return asBlocks(wanted === "" ? story.title : wanted);
}

/** The body of a brief that a story becomes. `from` is the name of its file. */
export function storyBody(prd: Prd, story: Story, heading: string, from: string): string {
  const done =
    story.criteria.length === 0
      ? []
      : [
          "## How I will know that it is done",
          "Every item of [TASKS.md](TASKS.md) is met: they are the acceptance criteria.",
        ];
  const facts = writeMarkdown(list(factsOf(prd, story, from).map((fact) => item(source(fact))))).trimEnd();
  return [heading, importedMark, "## What I want", wishOf(story), ...done, "## What to know", facts].join("\n\n");
}

function factsOf(prd: Prd, story: Story, from: string): string[] {
  const project = [prd.project, prd.description].filter((text) => text !== null && text.trim() !== "").join(": ");
  const claim = "The file says `passes: true`. That has not been proven here: first find out how much of it is true.";
  const notes = [story.notes, story.completionNotes].map((text) => ownWords(text ?? "").trim());
  return [
    `This is story ${asLine(story.id)} of ${asLine(from)}.`,
    ...(story.passes ? [claim] : []),
    ...(project === "" ? [] : [`Project: ${asLine(project)}`]),
    ...(prd.branchName === null || prd.branchName.trim() === "" ? [] : [`Branch: ${asLine(prd.branchName)}`]),
    ...(story.labels.length === 0 ? [] : [`Labels: ${asLine(story.labels.join(", "))}`]),
    ...notes.filter((text) => text !== "").map((text) => `Notes: ${asLine(text)}`),
  ];
}

/**
 * What a git host makes of plain text on its own, beyond what a Markdown parser tells: mentions, references, links,
 * mathematics, emoji.
 */
const hostMarks = /[@#$]|!\d|\bGH-\d|<[!?/a-z]|:\/\/|www\.|:[a-z0-9_+-]+:/i;

/**
 * Text as one line of Markdown that reads as that text and cannot become another construct. Plain words stay as they
 * are, since a model reads the file's own text; anything else is escaped. What was between code marks stays code.
 */
export function asLine(text: string): string {
  const line = showOneLine(text);
  return !hostMarks.test(line) && readsAsItself(line) ? line : mdProse(line);
}

/**
 * Text of some lines as blocks of Markdown. It is left as it is if it only has paragraphs, lists, quotes, code,
 * tables and emphasis, all of them closed; else it is in a fence, so that it cannot open or close anything around it.
 */
export function asBlocks(text: string): string {
  const shown = showHidden(text).trim();
  const read = readTree(Buffer.from(`${shown}\n\n# end\n`), "");
  return read.kind === "tree" && isContained(read.tree) ? shown : mdFence(shown);
}

/** Code between marks may be in it. A text whose value is its source holds no escape, no reference and no mark. */
function readsAsItself(line: string): boolean {
  const read = readTree(Buffer.from(line), "");
  const only = read.kind === "tree" ? read.tree.children[0] : undefined;
  if (read.kind === "bad" || only?.type !== "paragraph" || read.tree.children.length > 1) return false;
  return only.children.every((node) => {
    const { start, end } = offsetsOf(node);
    return node.type === "inlineCode" || (node.type === "text" && node.value === line.slice(start, end));
  });
}

const containedNodes: ReadonlySet<Nodes["type"]> = new Set([
  "paragraph",
  "text",
  "emphasis",
  "strong",
  "delete",
  "inlineCode",
  "code",
  "break",
  "link",
  "list",
  "listItem",
  "blockquote",
  "table",
  "tableRow",
  "tableCell",
] as const);

/** The heading that was put behind the text is the only one, and still a heading at the end. */
function isContained(tree: Root): boolean {
  const nodes = tree.children.slice(0, -1);
  const end = tree.children.at(-1);
  return end?.type === "heading" && plainLine(end) === "end" && nodes.every(isHarmless);
}

function isHarmless(node: Nodes): boolean {
  return containedNodes.has(node.type) && (!("children" in node) || node.children.every(isHarmless));
}
