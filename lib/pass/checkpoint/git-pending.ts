import { join, relative } from "node:path";
import { listPassCommits } from "../../git/log.ts";
import type { SinceCommit } from "../../git/patch.ts";
import type { GitPlace } from "../../git/place.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { fingerprintExcludes } from "../../task/fingerprint-excludes.ts";
import { firstCommit, pathsOfPasses, readPassPaths } from "../../task/pass-paths.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { type CommittedMove, shownId } from "./commit-message.ts";

/** Changes since the first pass, from all verdicts and the present pass. Null if the task began without a commit. */
export function changedSince(
  place: TaskPlace,
  events: readonly TaskEvent[],
  changedPaths: readonly string[],
): SinceCommit | null {
  const commit = firstCommit(events);
  if (commit === null) return null;
  return { commit, paths: [...new Set([...pathsOfPasses(place, events), ...changedPaths])].sort() };
}

export interface CommittedCode {
  readonly place: TaskPlace;
  readonly repo: string;
  readonly task: string;
  readonly event: CommittedMove;
  /** From the repo; the event lists only some. */
  readonly changedPaths: readonly string[];
  readonly earlier: readonly VerdictEvent[];
}

/** Splits uncommitted code into what the commit takes and what stays. */
export async function sortCode(
  request: CommittedCode,
  env: NodeJS.ProcessEnv,
): Promise<{ taken: string[]; left: string[] }> {
  const { event, task, repo } = request;
  const known = await listPassCommits(repo, shownId(task), Number.MAX_SAFE_INTEGER, env);
  const last = Math.max(0, ...known.filter(({ verdict }) => takesCode(verdict)).map(({ pass }) => pass));
  const pending = request.earlier.filter(({ pass }) => pass > last);
  const open = [...pending.flatMap((verdict) => readPassPaths(request.place, verdict)), ...request.changedPaths];
  return takesCode(event.verdict) ? { taken: open, left: [] } : { taken: [], left: open };
}

function takesCode(verdict: string): boolean {
  return verdict === "accepted" || verdict === "redirected";
}

/** In review and done, the code is proven as it is: only task folders with their STATE.md may come in. */
export function unwelcomeCode(
  { event, place, repo }: CommittedCode,
  git: GitPlace,
): (paths: readonly string[]) => readonly string[] {
  if (event.to !== "review" && event.to !== "done") return () => [];
  const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  return (paths) => {
    const whole = paths.map((path) => join(git.top, path));
    const known = fingerprintExcludes(place, repo);
    const coming = whole.flatMap((path) => {
      const [name = "", file, ...deeper] = relative(place.tasksRoot, path).split("/");
      const isState = file === "STATE.md" && deeper.length === 0 && !name.startsWith(".");
      return isState ? [join(place.tasksRoot, name)] : [];
    });
    const free = [...known, ...coming];
    return paths.filter((_path, index) => {
      const path = whole[index] ?? "";
      return isIn(path, repo) && !free.some((folder) => isIn(path, folder));
    });
  };
}
