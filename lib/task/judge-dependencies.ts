import { basename, join } from "node:path";
import type { Contract } from "../documents/contract.ts";
import { configError } from "../text/errors.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import type { TaskPlace } from "./records/task-place.ts";

/** A task of the root and its folder. */
interface Step {
  readonly id: string;
  readonly folder: string;
}

export interface NeededTask extends Step {
  readonly dependsOn: readonly string[];
}

/**
 * The tasks of one root as they were when they were listed, without those whose brief cannot be read. What one look
 * finds out of them, the next takes over.
 */
export interface ListedTasks {
  /** More than one where folders share an id. */
  find(id: string): readonly NeededTask[];
  /** True if the task whose folder has this name is the only one of that id; false if that has to be looked at. */
  isAlone?(id: string, name: string): boolean;
  ids(): readonly string[];
  /** True if the task of that folder is done, by its journal. */
  isDone(folder: string): boolean;
  /** True if it is done, and the proof of that shows what a reader expects. */
  isProven(folder: string): boolean;
  /** True if what depends on the task of that folder need not wait for it; missing: if it is done. */
  isMet?(folder: string): boolean;
  /** Ids below which everything was looked at, and nothing is wrong. */
  readonly cleared: Set<string>;
}

export interface OpenDependency {
  readonly id: string;
  /** It is done, and its proof does not show what this task wants of it. */
  readonly isUnproven: boolean;
}

/**
 * The dependencies that are not met; none if the task itself is done. A config error if another
 * folder has the same id, and if a dependency, or what that one needs in turn, is unknown, doubled or part of a
 * circle; it names the path. What a done task needed is not asked: its folder may be gone.
 */
export function openDependencies(
  place: TaskPlace,
  { id, dependsOn, provenOnly }: Pick<Contract, "id" | "dependsOn" | "provenOnly">,
  listed: () => ListedTasks,
): OpenDependency[] {
  const tasks = listed();
  refuseDoubled(place, tasks, id);
  if (dependsOn.length === 0 || tasks.isDone(place.taskDir)) return [];
  refuseWrong(tasks, [{ id, folder: place.taskDir }], dependsOn, basename(place.tasksRoot));
  return dependsOn.flatMap((other): OpenDependency[] => {
    const task = tasks.find(other)[0];
    if (task === undefined || !(tasks.isMet ?? tasks.isDone)(task.folder)) return [{ id: other, isUnproven: false }];
    if (!provenOnly.includes(other) || tasks.isProven(task.folder)) return [];
    return [{ id: other, isUnproven: true }];
  });
}

function refuseDoubled(place: TaskPlace, tasks: ListedTasks, id: string): void {
  if (tasks.isAlone?.(id, place.name) === true) return;
  const others = tasks.find(id).filter(({ folder }) => folder !== place.taskDir);
  if (others.length === 0) return;
  const message = `${folderNames([place.name, ...namesOf(others)])} have the same id, ${shorten(id)}`;
  throw configError("TP_ID_DOUBLED", message, {
    file: place.readme,
    fix: "give each its own id, or move folders that are not tasks out of the tasks root",
  });
}

function namesOf(tasks: readonly Step[]): string[] {
  return tasks.map(({ folder }) => basename(folder));
}

/** `the folders A, B and C`, in the order of their names. */
function folderNames(names: readonly string[]): string {
  const sorted = [...names].sort().map((name) => shorten(name));
  return `the folders ${sorted.slice(0, -1).join(", ")} and ${sorted[sorted.length - 1]}`;
}

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
    if (!tasks.isDone(task.folder)) refuseWrong(tasks, [...path, task], task.dependsOn, root);
    tasks.cleared.add(next);
  }
}

/** The only task of that id. */
function requireOne(tasks: ListedTasks, path: readonly Step[], id: string, root: string): NeededTask {
  const [task, ...others] = tasks.find(id);
  const last = path[path.length - 1];
  const way = path.length > 1 ? `; the path is ${renderPath(path, id)}` : "";
  const file = last === undefined ? null : join(last.folder, "README.md");
  if (task === undefined) {
    const near = nearestTask(id, tasks, path);
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
function nearestTask(word: string, tasks: ListedTasks, path: readonly Step[]): string | null {
  const known = tasks.ids().filter((key) => path.every((step) => step.id !== key));
  const folderOf = (id: string) => basename(tasks.find(id)[0]?.folder ?? "");
  return known.find((id) => folderOf(id) === word) ?? nearestWord(word, known);
}

function renderPath(path: readonly Step[], next: string): string {
  return [...path.map(({ id }) => id), next].join(" → ");
}
