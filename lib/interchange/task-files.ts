import { type InitPlan, type InitRequest, planInit } from "../init/plan.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, hasErrors } from "../report/finding.ts";
import { readBrief } from "../task-folder/brief.ts";
import { editState, readState } from "../task-folder/state.ts";
import { readSteps } from "../task-folder/steps.ts";
import { heading, item, list, source, words, writeMarkdown } from "../templates/markdown-nodes.ts";
import { showShort } from "../templates/visible.ts";
import { replaceBody } from "./brief-text.ts";
import { asLine } from "./plain-markdown.ts";

/** A task folder to be made: what `init` would write, with this text in it. */
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
  try {
    const plan = planInit({ ...request, withTasks: text.criteria.length > 0 });
    const files = plan.files.map(({ name, content }) => ({ name, content: fill(name, content, text) }));
    const findings = files.flatMap(({ name, content }) => prove(name, Buffer.from(content)));
    return hasErrors(findings) ? { kind: "bad", findings } : { kind: "files", files };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return { kind: "bad", findings: error.findings };
  }
}

export function headingOf(title: string): string {
  return writeMarkdown(heading(1, words`${showShort(title, 200)}`)).trimEnd();
}

function fill(name: string, content: string, { body, frontLines, criteria }: TaskText): string {
  if (name === "README.md") return replaceBody(content, body, frontLines);
  if (name === "TASKS.md") return `${content}\n${writeMarkdown(list(criteria.map(openItem)))}`;
  if (name !== "STATE.md" || criteria.length === 0) return content;
  const read = readState(Buffer.from(content), name);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return editState(read.document, { done_gate: doneGate(criteria) }).bytes.toString("utf8");
}

function openItem(text: string) {
  return item(source(asLine(text)), undefined, false);
}

function doneGate(criteria: readonly string[]): string {
  const all = asLine(criteria.map((text) => text.replace(/[\s.;]+$/, "")).join("; "));
  return all.length <= mostInGate ? all : `All ${criteria.length} acceptance criteria of TASKS.md are met`;
}

function prove(name: string, bytes: Buffer): readonly Finding[] {
  if (name === "README.md") return findingsOf(readBrief(bytes, name));
  if (name === "STATE.md") return findingsOf(readState(bytes, name));
  return name === "TASKS.md" ? findingsOf(readSteps(bytes, name)) : [];
}

function findingsOf(read: { readonly kind: string; readonly findings?: readonly Finding[] }): readonly Finding[] {
  return read.findings ?? [];
}
