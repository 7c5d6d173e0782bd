import { basename, join } from "node:path";
import { readHistory } from "../machine/history.ts";
import { configError } from "../report/errors.ts";
import { readRegularFile } from "../store/read-file.ts";
import { createStatCache } from "../store/stat-cache.ts";
import { readBrief } from "../task-folder/brief.ts";
import { nearestWord } from "../text/nearest.ts";
import { listTaskFolders } from "./guarded-paths.ts";
import { readTaskJournal } from "./task-journal.ts";
import { placeOf, type TaskPlace } from "./task-place.ts";

/** A task of the tasks root as far as selection needs it. Tasks whose brief cannot be read are left out. */
export interface ListedTask {
  readonly id: string;
  readonly folder: string;
  readonly priority: number;
  readonly dependsOn: readonly string[];
}

export function listTasks(tasksRoot: string): ListedTask[] {
  return listTaskFolders(tasksRoot).flatMap((folder) => {
    const path = join(folder, "README.md");
    return briefsSeen(path, () => readListed(folder, path)) ?? [];
  });
}

// Where a root holds hundreds of tasks, each selection and each pass would parse every brief and journal again.
const briefsSeen = createStatCache<ListedTask | null>();
const doneSeen = createStatCache<boolean>();

function readListed(folder: string, path: string): ListedTask | null {
  const read = readRegularFile(path, 1024 * 1024);
  if (read.kind !== "file") return null;
  const brief = readBrief(read.bytes, path, {});
  if (brief.kind === "bad") return null;
  const { id, priority, dependsOn } = brief.contract;
  return { id, folder, priority, dependsOn };
}

/** True where the task's own journal says that it is done. STATE.md is not asked: anybody can write there. */
export function isDone(folder: string): boolean {
  const { journal } = placeOf(folder);
  return doneSeen(journal, () => readHistory(readTaskJournal(journal)?.events ?? []).phase === "done");
}

/** The tasks of a root, listed when they are first asked for: who looks at all of them lists them once. */
export function listOnce(tasksRoot: string): () => readonly ListedTask[] {
  let listed: readonly ListedTask[] | null = null;
  return () => {
    listed ??= listTasks(tasksRoot);
    return listed;
  };
}

/**
 * The ids of the dependencies that are not done. An unknown id or a cycle is a config error that names the path.
 */
export function openDependencies(
  place: TaskPlace,
  id: string,
  dependsOn: readonly string[],
  listed: () => readonly ListedTask[] = listOnce(place.tasksRoot),
): string[] {
  if (dependsOn.length === 0) return [];
  const tasks = new Map(listed().map((task) => [task.id, task]));
  refuseCycle(place, tasks, [id], dependsOn, new Set());
  return dependsOn.filter((other) => {
    const task = tasks.get(other);
    return task === undefined || !isDone(task.folder);
  });
}

function refuseCycle(
  place: TaskPlace,
  tasks: ReadonlyMap<string, ListedTask>,
  path: readonly string[],
  dependsOn: readonly string[],
  cleared: Set<string>,
): void {
  for (const next of dependsOn) {
    // Looked at once: where many tasks share what they need, the number of ways through them doubles at each step.
    if (cleared.has(next)) continue;
    if (path.includes(next)) {
      throw configError(
        "TP_DEPENDENCY_CYCLE",
        `the tasks depend on each other in a circle: ${[...path, next].join(" → ")}`,
        {
          file: place.readme,
          fix: "take one of these out of a `depends_on`",
        },
      );
    }
    const task = tasks.get(next);
    if (task === undefined) {
      const near = nearestWord(
        next,
        [...tasks.keys()].filter((id) => !path.includes(id)),
      );
      throw configError(
        "TP_DEPENDENCY_UNKNOWN",
        `${path[path.length - 1]} depends on ${next}, and no readable task folder in ${basename(place.tasksRoot)}/ has that id`,
        {
          file: place.readme,
          fix: near === null ? "correct `depends_on`, or make that task" : `did you mean ${near}?`,
        },
      );
    }
    refuseCycle(place, tasks, [...path, next], task.dependsOn, cleared);
    cleared.add(next);
  }
}
