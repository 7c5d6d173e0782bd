import { findTrailer } from "../git/log.ts";
import type { GitPlace } from "../git/place.ts";
import { shownId } from "../keep/commit-message.ts";

/**
 * How a commit of the tasks names the code that belongs to it, where that is in a repository of its own: by a trailer,
 * and in the code's remote by a ref of that commit's own name, which nothing moves.
 */
const trailer = "Task-Phase-Code";

/** As `refs/task-phase/code/T-1/COMMIT`. */
export function codeRefOf(task: string, commit: string): string {
  return `${codeRefsOf(task)}${commit}`;
}

/** What all of them begin with. */
export function codeRefsOf(task: string): string {
  return `refs/task-phase/code/${task}/`;
}

/** `message` ends with trailers. */
export function nameCode(message: string, commit: string): string {
  return `${message.trimEnd()}\n${trailer}: ${commit}\n`;
}

/** The code that the newest step of the task before `commit` names, or with `alone` that one; null: none does. */
export async function findNamedCode(
  git: GitPlace,
  { commit, task, alone = false }: { commit: string; task: string; alone?: boolean },
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const named = await findTrailer(git, { commit, task: shownId(task), name: trailer, alone }, env);
  return named !== null && /^[0-9a-f]{40,64}$/.test(named) ? named : null;
}
