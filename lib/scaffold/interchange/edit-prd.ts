import { offsetsOf } from "../../documents/markdown.ts";
import { readIfGood, taskFiles } from "../../documents/read-task-file.ts";
import { readTree } from "../../documents/read-tree.ts";
import { listSections } from "../../documents/sections.ts";
import { applySplices, type Splice, withBom } from "../../documents/splice.ts";
import { showOneLine } from "../../documents/templates/visible.ts";
import { memberOf } from "./json-text.ts";
import type { Prd, Story } from "./prd-shape.ts";
import type { JsonFile } from "./read-source.ts";

export interface TaskResult {
  readonly id: string;
  /** Absolute. */
  readonly folder: string;
  /** Done by its journal, and STATE.md not edited since. */
  readonly done: boolean;
  /** False if no runner has been running. */
  readonly started: boolean;
  /** One line: the standing, the last verdict and where the evidence is. */
  readonly note: string;
}

export interface StoryResult {
  readonly id: string;
  readonly passes: boolean;
  /** The value in the file before. */
  readonly claimed: boolean;
  /** False if no task folder has this id. */
  readonly known: boolean;
}

/**
 * The text of a prd.json with current `passes` and `notes`; every other byte stays. `passes: true` is written only for
 * a task that is done, whatever the file said before. Notes are written where a runner has been running, where a claim
 * was taken back, and if our note is already there; the author's own words in them stay.
 */
export function editPrd(prd: Prd, results: readonly TaskResult[]): { text: string; stories: StoryResult[] } {
  const byId = new Map(results.map((result) => [result.id, result]));
  const splices: Splice[] = [];
  const stories = prd.stories.map((story): StoryResult => {
    const result = byId.get(story.id);
    const passes = result?.done === true;
    splices.push(...editClaim(prd, story, passes), ...editNotes(prd.source, story, newNotes(story, passes, result)));
    return { id: story.id, passes, claimed: story.passes, known: result !== undefined };
  });
  return { text: withBom(prd.source, applySplices(prd.source.text, splices)), stories };
}

function newNotes(story: Story, passes: boolean, result: TaskResult | undefined): string {
  const notes = story.notes ?? "";
  const wanted = hasOwnNote(notes) || result?.started === true || (story.passes && !passes);
  return wanted ? withOwnNote(notes, result?.note ?? "no task folder has this id, so nothing proves it") : notes;
}

/** A claim in words is written in the words of the file. */
function editClaim(prd: Prd, { claim }: Story, passes: boolean): Splice[] {
  if (claim === null || claim.passes === passes) return [];
  const text = claim.word === null ? String(passes) : JSON.stringify(prd.word(passes));
  return [{ start: claim.node.start, end: claim.node.end, text }];
}

function editNotes({ text }: JsonFile, story: Story, notes: string): Splice[] {
  if (notes === (story.notes ?? "")) return [];
  const there = memberOf(story.node, "notes")?.value;
  if (there !== undefined) return [{ start: there.start, end: there.end, text: JSON.stringify(notes) }];
  const passes = memberOf(story.node, "passes");
  if (passes === null) return [];
  // A new key is behind `passes` and is laid out as that is.
  const before = /\s*$/.exec(text.slice(0, passes.start))?.[0] ?? "";
  const colon = text.slice(passes.end, passes.value.start);
  const added = `,${before}"notes"${colon}${JSON.stringify(notes)}`;
  return [{ start: passes.value.end, end: passes.value.end, text: added }];
}

/** Begins the one line of a story's notes that is ours. */
const mark = "[task-phase] ";

/** The notes without our line: what their author wrote. */
export function ownWords(notes: string): string {
  return notes
    .split("\n")
    .filter((line) => !line.startsWith(mark))
    .join("\n");
}

export function hasOwnNote(notes: string): boolean {
  return notes.split("\n").some((line) => line.startsWith(mark));
}

/** The author's words as they are, and our one line behind them. */
export function withOwnNote(notes: string, note: string): string {
  const words = ownWords(notes);
  return `${words}${words === "" ? "" : "\n"}${mark}${showOneLine(note)}`;
}

/**
 * A prd.json made from task folders alone: the plain form, or the one with `dependsOn` if a task depends on another.
 * Stories are in the order in which they would be selected, and 1 is the highest priority.
 */
export function buildPrd(project: string, results: readonly TaskResult[]): string {
  const tasks = results.flatMap((result) => {
    const brief = readIfGood(taskFiles.brief, result.folder);
    return brief === null ? [] : [{ result, ...brief }];
  });
  const ranks = [...new Set(tasks.map(({ contract }) => contract.priority))].sort((a, b) => b - a);
  const withNeeds = tasks.some(({ contract }) => contract.dependsOn.length > 0);
  const ordered = tasks.sort(
    (a, b) => b.contract.priority - a.contract.priority || (a.result.id < b.result.id ? -1 : 1),
  );
  const prd = {
    project,
    description: `The tasks of ${project}, as recorded by task-phase`,
    userStories: ordered.map(({ result, contract, body }) => ({
      id: result.id,
      title: contract.title,
      description: wishIn(body),
      acceptanceCriteria: readIfGood(taskFiles.steps, result.folder).items.map(({ text }) => text),
      priority: ranks.indexOf(contract.priority) + 1,
      passes: result.done,
      notes: result.started ? withOwnNote("", result.note) : "",
      ...(withNeeds ? { dependsOn: contract.dependsOn } : {}),
    })),
  };
  return `${JSON.stringify(prd, null, 2)}\n`;
}

/** What is under `What I want`; without that heading, the brief's text but for its first heading. Comments left out. */
function wishIn(body: string): string {
  const read = readTree(Buffer.from(body), "README.md");
  if (read.kind === "bad") return "";
  const section = listSections(read.tree, 2).find(({ title }) => title.toLowerCase() === "what i want");
  const [first, ...others] = read.tree.children;
  const nodes = section?.nodes ?? (first?.type === "heading" ? others : read.tree.children);
  return nodes
    .filter((node) => node.type !== "html")
    .map((node) => read.text.slice(offsetsOf(node).start, offsetsOf(node).end))
    .join("\n\n")
    .replaceAll("\r\n", "\n");
}
