import { basename, join } from "node:path";
import { readTaskJournal } from "../anchor/task-journal.ts";
import { placeOf, type TaskPlace } from "../anchor/task-place.ts";
import { readHistory } from "../machine/add-event.ts";
import { configError } from "../report/errors.ts";
import { readRegularFile } from "../store/read-file.ts";
import { createStatCache } from "../store/stat-cache.ts";
import { readBrief } from "../task-folder/brief.ts";
import type { StorySource } from "../task-folder/contract.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import { listTaskFolders } from "./guarded-paths.ts";

/** A task of the tasks root as far as selection needs it. Tasks whose brief cannot be read are left out. */
export interface ListedTask {
  readonly id: string;
  readonly folder: string;
  readonly priority: number;
  readonly dependsOn: readonly string[];
  readonly source: StorySource | null;
}

export function listTasks(tasksRoot: string): ListedTask[] {
  return listTaskFolders(tasksRoot).flatMap((folder) => {
    const path = join(folder, "README.md");
    return briefsSeen(path, () => readListed(folder, path)) ?? [];
  });
}

// If a root holds hundreds of tasks, each selection and each pass would parse every brief and journal again.
const briefsSeen = createStatCache<ListedTask | null>();
const doneSeen = createStatCache<boolean>();

function readListed(folder: string, path: string): ListedTask | null {
  const read = readRegularFile(path, 1024 * 1024);
  if (read.kind !== "file") return null;
  const brief = readBrief(read.bytes, path, {});
  if (brief.kind === "bad") return null;
  const { id, priority, dependsOn, source } = brief.contract;
  return { id, folder, priority, dependsOn, source };
}

/** True if the task's own journal says that it is done. STATE.md is not asked: anybody can write there. */
export function isDone(folder: string): boolean {
  const { journal } = placeOf(folder);
  return doneSeen(journal, () => readHistory(readTaskJournal(journal)?.events ?? []).phase === "done");
}

/** The tasks of one root as they were when they were listed. What one look finds out of them, the next takes over. */
export interface ListedTasks {
  /** By id; more than one where folders share an id. */
  readonly byId: ReadonlyMap<string, readonly ListedTask[]>;
  /** True if that task is done. */
  readonly isDone: (task: ListedTask) => boolean;
  /** Ids below which everything was looked at, and nothing is wrong. */
  readonly cleared: Set<string>;
}

/** The tasks of a root, listed when they are first asked for: who looks at all of them lists them once. */
export function listOnce(tasksRoot: string): () => ListedTasks {
  let listed: ListedTasks | null = null;
  return () => {
    listed ??= indexTasks(listTasks(tasksRoot));
    return listed;
  };
}

function indexTasks(tasks: readonly ListedTask[]): ListedTasks {
  const byId = new Map<string, ListedTask[]>();
  for (const task of tasks) {
    const same = byId.get(task.id);
    if (same === undefined) byId.set(task.id, [task]);
    else same.push(task);
  }
  const seen = new Map<string, boolean>();
  return {
    byId,
    cleared: new Set(),
    isDone({ folder }) {
      const done = seen.get(folder) ?? isDone(folder);
      seen.set(folder, done);
      return done;
    },
  };
}

/**
 * The ids of the dependencies that are not done; none if the task itself is done. A config error if another
 * folder has the same id, and if a dependency, or what that one needs in turn, is unknown, doubled or part of a
 * circle; it names the path. What a done task needed is not asked: its folder may be gone.
 */
export function openDependencies(
  place: TaskPlace,
  id: string,
  dependsOn: readonly string[],
  listed: () => ListedTasks = listOnce(place.tasksRoot),
): string[] {
  const tasks = listed();
  refuseDoubled(place, tasks, id);
  if (dependsOn.length === 0 || isDone(place.taskDir)) return [];
  refuseWrong(tasks, [{ id, folder: place.taskDir }], dependsOn, basename(place.tasksRoot));
  return dependsOn.filter((other) => {
    const task = tasks.byId.get(other)?.[0];
    return task === undefined || !tasks.isDone(task);
  });
}

function refuseDoubled(place: TaskPlace, { byId }: ListedTasks, id: string): void {
  const others = (byId.get(id) ?? []).filter(({ folder }) => folder !== place.taskDir);
  if (others.length === 0) return;
  throw configError(
    "TP_ID_DOUBLED",
    `${folderNames([place.name, ...namesOf(others)])} have the same id, ${shorten(id)}`,
    {
      file: place.readme,
      fix: "give each its own id, or move folders that are not tasks out of the tasks root",
    },
  );
}

function namesOf(tasks: readonly ListedTask[]): string[] {
  return tasks.map(({ folder }) => basename(folder));
}

/** `the folders A, B and C`, in the order of their names. */
function folderNames(names: readonly string[]): string {
  const sorted = [...names].sort().map((name) => shorten(name));
  return `the folders ${sorted.slice(0, -1).join(", ")} and ${sorted[sorted.length - 1]}`;
}

type Step = Pick<ListedTask, "id" | "folder">;

/** Throws what is wrong with something on the way down; `path` is the way so far, its first the task in question. */
function refuseWrong(tasks: ListedTasks, path: readonly Step[], dependsOn: readonly string[], root: string): void {
  for (const next of dependsOn) {
    // Looked at once: where many tasks share what they need, the number of ways through them doubles at each step.
    if (tasks.cleared.has(next)) continue;
    const again = path.find(({ id }) => id === next);
    if (again !== undefined) {
      throw configError("TP_DEPENDENCY_CYCLE", `the tasks depend on each other in a cycle: ${renderPath(path, next)}`, {
        file: join(again.folder, "README.md"),
        fix: "remove one of these from a `depends_on`",
      });
    }
    const task = requireOne(tasks, path, next, root);
    if (!tasks.isDone(task)) refuseWrong(tasks, [...path, task], task.dependsOn, root);
    tasks.cleared.add(next);
  }
}

/** The only task of that id. */
function requireOne({ byId }: ListedTasks, path: readonly Step[], id: string, root: string): ListedTask {
  const [task, ...others] = byId.get(id) ?? [];
  const last = path[path.length - 1];
  const way = path.length > 1 ? `; the path is ${renderPath(path, id)}` : "";
  const file = last === undefined ? null : join(last.folder, "README.md");
  if (task === undefined) {
    const near = nearestTask(id, byId, path);
    throw configError(
      "TP_DEPENDENCY_UNKNOWN",
      `${last?.id} depends on ${id}, and no readable task folder in ${root}/ has that id${way}`,
      { file, fix: near === null ? "correct `depends_on`, or create that task" : `did you mean ${near}?` },
    );
  }
  if (others.length > 0) {
    throw configError(
      "TP_ID_DOUBLED",
      `${last?.id} depends on ${id}, and ${folderNames(namesOf([task, ...others]))} have that id${way}`,
      { file, fix: `give only one of them the id ${shorten(id)}` },
    );
  }
  return task;
}

/** The id whose folder was named, or the nearest one, of a task that is not on the way already. */
function nearestTask(word: string, byId: ListedTasks["byId"], path: readonly Step[]): string | null {
  const known = [...byId.keys()].filter((key) => path.every((step) => step.id !== key));
  const folderOf = (id: string) => basename(byId.get(id)?.[0]?.folder ?? "");
  return known.find((id) => folderOf(id) === word) ?? nearestWord(word, known);
}

function renderPath(path: readonly Step[], next: string): string {
  return [...path.map(({ id }) => id), next].join(" → ");
}
