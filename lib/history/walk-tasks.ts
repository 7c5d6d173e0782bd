import { packName } from "../documents/pass-pack.ts";
import type { CommitNode, PathChange } from "../git/commits.ts";
import type { TreeEntry } from "../git/list-tree.ts";

/** Relative to the task folder. */
export const journalFile = "artifacts/journal.jsonl";

/** Commits with the same files share the object. */
export interface TaskAt {
  readonly state: TreeEntry | null;
  readonly journal: TreeEntry | null;
}

/** A commit whose STATE.md or journal differs from each parent's. */
export interface CommittedStep {
  readonly commit: CommitNode;
  /** The commit's place among all, oldest first. */
  readonly order: number;
  readonly now: TaskAt;
  /** One for each parent; a root commit has an empty one. */
  readonly before: readonly TaskAt[];
  /** False if the commit is trusted. */
  readonly judged: boolean;
}

export interface WalkedTask {
  readonly name: string;
  readonly steps: CommittedStep[];
  readonly records: Map<string, Set<string>>;
  readonly packs: Set<string>;
  /** At the last commit, or at the tip of its branch. */
  head: TaskAt;
}

const packFile = `artifacts/passes/${packName}`;

const noTask: TaskAt = { state: null, journal: null };

/** The judged files of a task, as git's patterns. */
export const judgedFiles = ["STATE.md", journalFile, "artifacts/passes/*/pass.json", packFile];

/**
 * Every committed step of every task ever under `prefix`, parents first. `task`: only this one. `judged`: null for all.
 * A merge that takes a parent's version is no step. `tips`: last commits by task; other tasks end at the last of
 * `commits`.
 */
export function walkTasks(
  commits: readonly CommitNode[],
  changes: ReadonlyMap<string, readonly PathChange[]>,
  prefix: string,
  task: string | null,
  judged: ReadonlySet<string> | null,
  tips: ReadonlyMap<string, string> = new Map(),
): { readonly commits: number; readonly tasks: readonly WalkedTask[] } {
  const tasks = new Map<string, WalkedTask>();
  // How many children of a commit are still to come.
  const waiting = new Map<string, number>();
  for (const parent of commits.flatMap(({ parents }) => parents)) waiting.set(parent, (waiting.get(parent) ?? 0) + 1);
  for (const tip of tips.values()) waiting.set(tip, (waiting.get(tip) ?? 0) + 1);
  const snapshots = new Map<string, ReadonlyMap<string, TaskAt>>();
  let touching = 0;
  for (const [order, commit] of commits.entries()) {
    const parents = commit.parents.map((sha) => snapshots.get(sha) ?? emptySnapshot);
    const [first = emptySnapshot] = parents;
    const edits = readEdits(changes.get(commit.sha) ?? [], prefix, task);
    const isJudged = judged?.has(commit.sha) ?? true;
    if (edits.size > 0 && isJudged) touching++;
    const snapshot = edits.size === 0 ? first : new Map(first);
    for (const [name, edit] of edits) {
      const walked: WalkedTask = tasks.get(name) ?? {
        name,
        steps: [],
        records: new Map(),
        packs: new Set(),
        head: noTask,
      };
      tasks.set(name, walked);
      for (const [pass, oid] of edit.records)
        walked.records.set(pass, (walked.records.get(pass) ?? new Set()).add(oid));
      for (const oid of edit.packs) walked.packs.add(oid);
      const old = first.get(name) ?? noTask;
      const wanted = {
        state: edit.state === undefined ? old.state : edit.state,
        journal: edit.journal === undefined ? old.journal : edit.journal,
      };
      const before = parents.length === 0 ? [noTask] : parents.map((parent) => parent.get(name) ?? noTask);
      const taken = before.find((at) => isSameEntry(at.state, wanted.state) && isSameEntry(at.journal, wanted.journal));
      const now = taken ?? wanted;
      if (taken === undefined) walked.steps.push({ commit, order, now, before, judged: isJudged });
      (snapshot as Map<string, TaskAt>).set(name, now);
    }
    snapshots.set(commit.sha, snapshot);
    for (const parent of commit.parents) {
      const left = (waiting.get(parent) ?? 1) - 1;
      waiting.set(parent, left);
      // No longer needed: a long history must not keep a copy for each commit.
      if (left === 0) snapshots.delete(parent);
    }
  }
  const last = commits.at(-1)?.sha ?? "";
  for (const walked of tasks.values())
    walked.head = snapshots.get(tips.get(walked.name) ?? last)?.get(walked.name) ?? noTask;
  return { commits: touching, tasks: [...tasks.values()] };
}

const emptySnapshot: ReadonlyMap<string, TaskAt> = new Map();

/** `undefined`: unchanged; null: gone. */
interface TaskEdit {
  state?: TreeEntry | null;
  journal?: TreeEntry | null;
  readonly records: [pass: string, oid: string][];
  readonly packs: string[];
}

function readEdits(changes: readonly PathChange[], prefix: string, task: string | null): Map<string, TaskEdit> {
  const edits = new Map<string, TaskEdit>();
  for (const { path, entry } of changes) {
    if (!path.startsWith(prefix)) continue;
    const [name = "", ...rest] = path.slice(prefix.length).split("/");
    // The runner skips dot folders, its own included.
    if (name.startsWith(".") || (task !== null && name !== task)) continue;
    const edit: TaskEdit = edits.get(name) ?? { records: [], packs: [] };
    edits.set(name, edit);
    const file = rest.join("/");
    if (file === "STATE.md") edit.state = entry;
    else if (file === journalFile) edit.journal = entry;
    else if (entry !== null && file === packFile) edit.packs.push(entry.oid);
    else if (entry !== null) edit.records.push([rest[2] ?? "", entry.oid]);
  }
  return edits;
}

export function isSameEntry(a: TreeEntry | null, b: TreeEntry | null): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}
