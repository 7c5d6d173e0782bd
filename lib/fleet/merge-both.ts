import { join } from "node:path";
import { goesBack, listBases, listPlaces } from "../git/log.ts";
import { makeCommit, mergeTrees, withFolderOf } from "../git/merge.ts";
import type { GitPlace } from "../git/place.ts";
import { changedWith, findCommits } from "../git/revision.ts";
import { hasLanded } from "../queue/views/has-landed.ts";
import type { AheadTask } from "../queue/views/root-view.ts";
import { removeAll } from "../store/folder.ts";
import { readText } from "../store/read-file.ts";
import { readTaskJournal } from "../task/records/task-journal.ts";
import { placeOf } from "../task/records/task-place.ts";

export interface Merged {
  readonly tree: string;
  /** What git cannot merge: the tree has lines that both changed between marks, and any other file as one side has it. */
  readonly paths: readonly string[];
  /** Nothing on which the branch builds was taken out of the other one. */
  readonly isOnto: boolean;
}

export interface Merging {
  readonly task: Pick<AheadTask, "id" | "commit" | "path">;
  /** The other branch, a full name, and its commit. */
  readonly into: { readonly ref: string; readonly commit: string };
}

/**
 * A task's branch and another one in one tree. The task folder is as the task's branch has it: only there is its journal
 * whole. If a person rewrote or squashed what the branch builds on, the tree has the work of the task alone, and not that
 * again. `tree`: git where the other branch is. `first`: commits that count as if the other branch had them.
 */
export async function mergeBoth(
  { git, tree: person, first = [] }: { git: GitPlace; tree: GitPlace; first?: readonly string[] },
  { task, into }: Merging,
  scratch: string,
  env: NodeJS.ProcessEnv,
): Promise<Merged> {
  const bases = await findBases({ git, person, first }, { task, into }, env);
  const isOnto = !bases.some(({ kind }) => kind === "gone");
  const newest = bases[0];
  // Its parent is what git compares both with: `--merge-base` does this only from git 2.40.
  const standIn = { tree: `${into.commit}^{tree}`, parents: [newest?.commit ?? into.commit], message: "stand-in\n" };
  const ours = newest?.kind === "gone" ? await makeCommit(git, standIn, env) : into.commit;
  const merged = await mergeTrees(git, ours, task.commit, env);
  const index = join(scratch, "merge-index");
  const tree = await withFolderOf(git, { tree: merged.tree, commit: task.commit, folder: task.path }, { env, index });
  removeAll(index);
  const all = merged.kind === "conflict" ? merged.paths : [];
  return { tree, isOnto, paths: all.filter((path) => !path.startsWith(`${task.path}/`)) };
}

interface Base {
  readonly commit: string;
  /** `gone`: the other branch had it, or has its work in other commits. */
  readonly kind: "in" | "gone";
}

/** On what of the other branch a task's branch builds, newest first, without what is new to that. */
async function findBases(
  { git, person, first }: { readonly git: GitPlace; readonly person: GitPlace; readonly first: readonly string[] },
  { task, into }: Merging,
  env: NodeJS.ProcessEnv,
): Promise<readonly Base[]> {
  const { joined, begun } = await listBases(git, { commit: task.commit, task: task.id, other: into.commit }, env);
  if (joined.length + begun.length === 0) return [];
  const places = await listPlaces(person, into.ref, env);
  const find = async (commit: string): Promise<Base["kind"] | null> => {
    for (const tip of [into.commit, ...first]) if (await goesBack(git, tip, commit, env)) return "in";
    if (places.has(commit)) return "gone";
    const parents = [...(await findCommits(git, [`${commit}^1`, `${commit}^2`], env)).values()];
    if (parents[0] === undefined) return null;
    const ends = (await changedWith(git, [parents[0], commit], ".", env)).filter((path) => path.endsWith(journalEnd));
    for (const end of ends)
      if (await hasLanded(git, { commit, path: end.slice(0, -journalEnd.length) }, into.commit, env)) return "gone";
    // What joins several that a task depends on is in no other branch, but they may be.
    if (parents.length < 2) return null;
    const kinds = [];
    for (const one of parents) {
      const kind = await find(one);
      if (kind === null) return null;
      kinds.push(kind);
    }
    return kinds.includes("gone") ? "gone" : "in";
  };
  const bases: Base[] = [];
  for (const commit of joined) {
    const kind = await find(commit);
    if (kind !== null) bases.push({ commit, kind });
  }
  for (const { commit, isPlain } of begun) {
    const kind = isPlain && !places.has(commit) ? null : await find(commit);
    if (kind !== null) return [...bases, { commit, kind }];
  }
  // Git merges only what has a commit in common.
  const began = bases.length === 0 && begun.at(-1)?.isRoot === true ? begun[0] : undefined;
  return began === undefined ? bases : [{ commit: began.commit, kind: "gone" }];
}

const journalEnd = "/artifacts/journal.jsonl";

/** Nobody solves conflicts in a larger file. */
const maxMarkedBytes = 16 * 1024 * 1024;

/** Those paths of earlier conflicts that still have git's marks: no check has to notice them. */
export function listLeft(top: string, taskDir: string): string[] {
  const events = readTaskJournal(placeOf(taskDir).journal)?.events ?? [];
  const paths = new Set(events.flatMap((event) => (event.type === "not_merged" ? event.paths : [])));
  return listMarked(top, [...paths]);
}

export function listMarked(top: string, paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const text = readText(join(top, path), maxMarkedBytes) ?? "";
    return /^<{7} /m.test(text) && /^>{7} /m.test(text);
  });
}
