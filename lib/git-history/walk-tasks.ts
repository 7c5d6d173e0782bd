import type { CommitNode, PathChange, TreeEntry } from "../git/commits.ts";
import { packName } from "../task-folder/pass-pack.ts";

/** The files of one task in a commit. Commits with the same files share the object. */
export interface TaskAt {
  readonly state: TreeEntry | null;
  readonly journal: TreeEntry | null;
}

/** A commit that leaves STATE.md or the journal of a task other than each of its parents has them. */
export interface CommittedStep {
  readonly commit: CommitNode;
  /** The place of the commit among all, oldest first. */
  readonly order: number;
  readonly now: TaskAt;
  /** One for each parent; a root commit has the one of nothing. */
  readonly before: readonly TaskAt[];
  /** False if what the commit has is taken as it is. */
  readonly judged: boolean;
}

export interface WalkedTask {
  /** The folder's name, its bytes as latin1. */
  readonly name: string;
  readonly steps: CommittedStep[];
  /** The blobs that were ever pass.json, by the name of the pass's folder. */
  readonly records: Map<string, Set<string>>;
  /** The blobs that were ever the pack of its records. */
  readonly packs: Set<string>;
  /** What is at the last commit, or at that of its own branch. */
  head: TaskAt;
}

export interface TaskWalk {
  /** Commits that touch a task and are judged. */
  readonly commits: number;
  readonly tasks: readonly WalkedTask[];
}

const packFile = `artifacts/passes/${packName}`;

export const noTask: TaskAt = { state: null, journal: null };

/**
 * Git's own patterns for the files that are judged, of every task under `prefix` (which ends with a slash, or is empty
 * at the top). Characters that a pattern would take for its own are escaped.
 */
export function pathspecsOf(prefix: string): string[] {
  const plain = prefix.replace(/[\\*?[\]]/g, (character) => `\\${character}`);
  return ["STATE.md", "artifacts/journal.jsonl", "artifacts/passes/*/pass.json", packFile].map(
    (file) => `:(top,glob)${plain}*/${file}`,
  );
}

/**
 * Every committed step of every task that ever was under `prefix`, parents before children. `task`: only this one.
 * `judged`: the commits that are, null for all. If a merge takes what one of its parents has, that is not a step. `tips`:
 * the last commit of tasks by their names; that of all others, and without it of all, is the last of `commits`.
 */
export function walkTasks(
  commits: readonly CommitNode[],
  changes: ReadonlyMap<string, readonly PathChange[]>,
  prefix: string,
  task: string | null,
  judged: ReadonlySet<string> | null,
  tips: ReadonlyMap<string, string> = new Map(),
): TaskWalk {
  const tasks = new Map<string, WalkedTask>();
  const waiting = countChildren(commits);
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
      const taken = before.find((at) => isSame(at, wanted));
      const now = taken ?? wanted;
      if (taken === undefined) walked.steps.push({ commit, order, now, before, judged: isJudged });
      (snapshot as Map<string, TaskAt>).set(name, now);
    }
    snapshots.set(commit.sha, snapshot);
    for (const parent of commit.parents) {
      const left = (waiting.get(parent) ?? 1) - 1;
      waiting.set(parent, left);
      // Nobody asks for it again: a long history must not keep a copy for each commit.
      if (left === 0) snapshots.delete(parent);
    }
  }
  const last = commits.at(-1)?.sha ?? "";
  for (const walked of tasks.values())
    walked.head = snapshots.get(tips.get(walked.name) ?? last)?.get(walked.name) ?? noTask;
  return { commits: touching, tasks: [...tasks.values()] };
}

const emptySnapshot: ReadonlyMap<string, TaskAt> = new Map();

/** `undefined`: as it was before; null: gone. */
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
    // The runner passes over folders that begin with a dot, its own among them.
    if (name.startsWith(".") || (task !== null && name !== task)) continue;
    const edit: TaskEdit = edits.get(name) ?? { records: [], packs: [] };
    edits.set(name, edit);
    const file = rest.join("/");
    if (file === "STATE.md") edit.state = entry;
    else if (file === "artifacts/journal.jsonl") edit.journal = entry;
    else if (entry !== null && file === packFile) edit.packs.push(entry.oid);
    else if (entry !== null) edit.records.push([rest[2] ?? "", entry.oid]);
  }
  return edits;
}

function countChildren(commits: readonly CommitNode[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { parents } of commits) {
    for (const parent of parents) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
  return counts;
}

function isSame(a: TaskAt, b: TaskAt): boolean {
  return isSameEntry(a.state, b.state) && isSameEntry(a.journal, b.journal);
}

function isSameEntry(a: TreeEntry | null, b: TreeEntry | null): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}

/** A link or a submodule in place of a file is not a file. */
export function isFile(entry: TreeEntry): boolean {
  return entry.mode === "100644" || entry.mode === "100755";
}
