import { fstatSync, readlinkSync } from "node:fs";
import { relative, sep } from "node:path";
import { realOr } from "../store/folder.ts";
import { orElse } from "../text/attempt.ts";
import { rootExcludes } from "./board-files.ts";
import { listTaskFolders } from "./guarded-paths.ts";
import type { TaskPlace } from "./records/task-place.ts";
import { prdExcludes } from "./story-sources.ts";

/**
 * What is no part of the repo's contents: the tasks root's task folders, its `.task-phase/`, the files of its board and
 * those for git, the prd.json that its tasks were made from, and the file that the runner's own output goes to. The
 * other task folders are not looked for if none of them can be in the repo.
 */
export function fingerprintExcludes(place: TaskPlace, repo: string): string[] {
  const { runtime, taskDir, tasksRoot } = place;
  return [
    runtime,
    ...new Set([taskDir, ...(standsApart(tasksRoot, repo) ? [] : listTaskFolders(tasksRoot))]),
    ...rootExcludes(tasksRoot, repo),
    ...prdExcludes(place),
    ...ownLogs(),
  ];
}

/** Files that this process prints to: they grow with each line of a pass. None where the system does not name them. */
function ownLogs(): string[] {
  return [1, 2].flatMap((descriptor) => {
    return orElse(() => (fstatSync(descriptor).isFile() ? [readlinkSync(`/proc/self/fd/${descriptor}`)] : []), []);
  });
}

/** The tasks root relative to the repo, with `/`; null if it is not below it. */
export function tasksInRepo({ tasksRoot }: Pick<TaskPlace, "tasksRoot">, repo: string): string | null {
  const path = relative(repo, tasksRoot).split(sep).join("/");
  return path === "" || path === ".." || path.startsWith("../") ? null : path;
}

/** True if neither holds the other. */
function standsApart(tasksRoot: string, repo: string): boolean {
  const real = realOr(repo);
  const holds = (outer: string, inner: string): boolean => `${inner}${sep}`.startsWith(`${outer}${sep}`);
  return !holds(real, tasksRoot) && !holds(tasksRoot, real) && real !== sep;
}
