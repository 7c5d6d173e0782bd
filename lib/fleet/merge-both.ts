import { join } from "node:path";
import { findBegin, goesBack } from "../git/log.ts";
import { makeCommit, mergeTrees, withFolderOf } from "../git/merge.ts";
import type { GitPlace } from "../git/place.ts";
import type { AheadTask } from "../queue/views/root-view.ts";
import { removeAll } from "../store/folder.ts";
import { readText } from "../store/read-file.ts";
import { readTaskJournal } from "../task/records/task-journal.ts";
import { placeOf } from "../task/records/task-place.ts";

export interface Merged {
  readonly tree: string;
  /** What git cannot merge: the tree has lines that both changed between marks, and any other file as one side has it. */
  readonly paths: readonly string[];
  /** The other commit has the one at which the branch began. */
  readonly isOnto: boolean;
}

/**
 * A task's branch and another commit in one tree. The task folder is as the branch has it: only there is its journal whole.
 * If a person rewrote or squashed what the branch began with, the tree has the work of the task alone, and not that again.
 */
export async function mergeBoth(
  git: GitPlace,
  { task, into }: { readonly task: Pick<AheadTask, "id" | "commit" | "path">; readonly into: string },
  scratch: string,
  env: NodeJS.ProcessEnv,
  first: readonly string[] = [],
): Promise<Merged> {
  const begin = await findBegin(git, { commit: task.commit, task: task.id, other: into }, env);
  // What would land first counts as if it had.
  const tips = [into, ...first];
  const isThere = async (commit: string) =>
    (await Promise.all(tips.map((tip) => goesBack(git, tip, commit, env)))).includes(true);
  const isOnto = begin === null || (await isThere(begin.began));
  const base = begin?.joined ?? begin?.began ?? into;
  // Its parent is what git compares both with: `--merge-base` does this only from git 2.40.
  const standIn = { tree: `${into}^{tree}`, parents: [base], message: "stand-in\n" };
  const ours = (await isThere(base)) ? into : await makeCommit(git, standIn, env);
  const merged = await mergeTrees(git, ours, task.commit, env);
  const index = join(scratch, "merge-index");
  const tree = await withFolderOf(git, { tree: merged.tree, commit: task.commit, folder: task.path }, { env, index });
  removeAll(index);
  const all = merged.kind === "conflict" ? merged.paths : [];
  return { tree, isOnto, paths: all.filter((path) => !path.startsWith(`${task.path}/`)) };
}

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
