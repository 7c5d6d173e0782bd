import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { findGitTop } from "../git/list-paths.ts";
import { orElse } from "../text/attempt.ts";

/**
 * The tasks root that a person in this folder means: the folder itself or the nearest above it that holds
 * task-phase.yaml or a task folder, or whose folder `tasks` does. Null if there is none.
 */
export function findTasksRoot(cwd: string): string | null {
  for (let at = cwd; ; at = path.dirname(at)) {
    const found = [at, path.join(at, "tasks")].find(isTasksRoot);
    if (found !== undefined) return found;
    if (at === path.dirname(at)) return null;
  }
}

/** The tasks root for new tasks: the one that `findTasksRoot` finds, else a new `tasks` at the top of the repo, else here. */
export function newTasksRoot(cwd: string): string {
  return findTasksRoot(cwd) ?? path.join(findGitTop(cwd) ?? cwd, "tasks");
}

/** The task folder that this folder is, or lies in; null if it is in none. */
export function findTaskAround(cwd: string): string | null {
  if (isFile(path.join(cwd, "STATE.md"))) return cwd;
  for (let at = cwd; ; at = path.dirname(at)) {
    // A repo may have a STATE.md of its own; a journal is the runner's.
    if (isTaskFolder(at) && hasJournal(at)) return at;
    if (at === path.dirname(at)) return null;
  }
}

export function isFile(file: string): boolean {
  return orElse(() => lstatSync(file).isFile(), false);
}

/** True for a folder that holds task-phase.yaml or a task folder. */
export function isTasksRoot(folder: string): boolean {
  if (isFile(path.join(folder, "task-phase.yaml"))) return true;
  return listFolders(folder).some((name) => isTaskFolder(path.join(folder, name)));
}

/** Its STATE.md may be gone, and the next run puts it back. */
function isTaskFolder(folder: string): boolean {
  return isFile(path.join(folder, "README.md")) && (isFile(path.join(folder, "STATE.md")) || hasJournal(folder));
}

function hasJournal(folder: string): boolean {
  return isFile(path.join(folder, "artifacts", "journal.jsonl"));
}

function listFolders(folder: string): string[] {
  // It cannot be looked into, so nothing in it is found.
  return orElse(
    () =>
      readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() && !entry.name.startsWith(".") ? [entry.name] : [],
      ),
    [],
  );
}
