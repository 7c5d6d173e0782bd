import { join } from "node:path";
import { mergeTrees, withFolderOf } from "../git/merge.ts";
import type { GitPlace } from "../git/place.ts";
import type { AheadTask } from "../queue/views/root-view.ts";
import { removeAll } from "../store/folder.ts";

export interface Merged {
  readonly tree: string;
  /** Where both changed the same lines, which the tree has between marks. */
  readonly paths: readonly string[];
}

/** A task's branch and another commit in one tree. The task folder is as the branch has it: only there is its journal whole. */
export async function mergeBoth(
  git: GitPlace,
  { task, into }: { readonly task: Pick<AheadTask, "commit" | "path">; readonly into: string },
  scratch: string,
  env: NodeJS.ProcessEnv,
): Promise<Merged> {
  const merged = await mergeTrees(git, into, task.commit, env);
  const index = join(scratch, "merge-index");
  const tree = await withFolderOf(git, { tree: merged.tree, commit: task.commit, folder: task.path }, { env, index });
  removeAll(index);
  const all = merged.kind === "conflict" ? merged.paths : [];
  return { tree, paths: all.filter((path) => !path.startsWith(`${task.path}/`)) };
}
