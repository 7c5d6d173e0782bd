import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { idFromFolder } from "../scaffold/init/names.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";
import { type ListedTask, listTasks } from "../task/list-tasks.ts";
import { orElse } from "../text/attempt.ts";
import { type TaskPhaseError, usageError } from "../text/errors.ts";
import { nearestWord } from "../text/nearest.ts";
import { nameSome, shorten } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import { findTaskAround, findTasksRoot, isTasksRoot } from "./find-root.ts";

/** The target of a command: one task, or all tasks of a root. Absolute paths; nothing is resolved through links. */
export type Target =
  | { readonly kind: "task"; readonly taskDir: string }
  | { readonly kind: "root"; readonly tasksRoot: string };

type Given = Pick<CommandContext, "flags" | "cwd" | "view">;

/** The task or root that the flags name; else the task around the current folder, or its tasks root. */
export function chooseTarget(context: Given): Target {
  const { flags, cwd } = context;
  const tasksRoot = flags.text("tasks-root");
  if (tasksRoot !== null) {
    if (flags.text("task-dir") === null) return { kind: "root", tasksRoot: namedRoot(cwd, tasksRoot) };
    throw usageError("TP_USAGE_TWO_TARGETS", "a task and --tasks-root cannot be combined", { fix: "omit one of them" });
  }
  const taskDir = givenTask(context) ?? findTaskAround(cwd);
  if (taskDir !== null) return { kind: "task", taskDir };
  return { kind: "root", tasksRoot: requireTasksRoot(cwd) };
}

/** For a command that works on one task: the one that is named, else the present one. */
export function chooseTask(context: Given): string {
  return givenTask(context) ?? presentTask(context.cwd);
}

/** The task that the present folder is in, or the only one of the tasks root that is found from there. */
export function presentTask(cwd: string): string {
  const around = findTaskAround(cwd);
  if (around !== null) return around;
  const root = requireTasksRoot(cwd);
  const folders = listTaskFolders(root);
  const [only] = folders;
  if (only !== undefined && folders.length === 1) return only;
  throw usageError("TP_USAGE_NO_TARGET", "no task was named, and there are several here", {
    fix: `name one of ${renderTasks(root, folders)}`,
  });
}

export function chooseRoot({ flags, cwd }: Given): string {
  const given = flags.text("tasks-root");
  return given === null ? requireTasksRoot(cwd) : namedRoot(cwd, given);
}

/** A folder that was named, as it is, unless another one was clearly meant: one a letter off, or its own `tasks`. */
function namedRoot(cwd: string, given: string): string {
  const root = path.resolve(cwd, given);
  if (isTasksRoot(root)) return root;
  const missing = !isSomething(root);
  const around = path.dirname(root);
  // Nothing can be suggested from a folder that cannot be read.
  const roots = () => readdirSync(around).filter((name) => isTasksRoot(path.join(around, name)));
  const beside = missing ? nearestWord(path.basename(root), orElse(roots, [])) : null;
  const inside = missing || !isTasksRoot(path.join(root, "tasks")) ? null : path.join(root, "tasks");
  const meant = beside === null ? inside : path.join(around, beside);
  if (meant === null) return root;
  throw usageError("TP_TASKS_ROOT", missing ? "the tasks root does not exist" : "this folder has no task folders", {
    file: root,
    fix: `did you mean --tasks-root ${path.relative(cwd, meant)}? It may be left out here`,
  });
}

function givenTask({ flags, cwd, view }: Given): string | null {
  const given = flags.text("task-dir");
  // Its folder may be on its branch alone.
  const [ahead] = [...(view ?? [])].find(([name, { id }]) => given === id || given === name) ?? [];
  const root = ahead === undefined ? null : findTasksRoot(cwd);
  if (ahead !== undefined && root !== null) return path.join(root, ahead);
  return given === null ? null : taskByName(cwd, given);
}

/** The folder of a task that was named by its path, its folder or its id; the first of these that is there. */
export function taskByName(cwd: string, given: string): string {
  // As a script has it whose variable is not set: the present folder was not meant.
  if (given === "")
    throw usageError("TP_USAGE_MISSING_VALUE", "the name of the task is empty", {
      fix: "name a task by its id, its folder or a path, or omit the word to use the task of the current directory",
    });
  const folder = path.resolve(cwd, given);
  if (given.includes("/")) return requireNoOther(cwd, given, folder);
  const root = isSomething(folder) ? null : findTasksRoot(cwd);
  if (root === null) {
    if (isSomething(folder)) return folder;
    throw usageError("TP_USAGE_NO_TARGET", `there is no task ${shorten(given)}: no tasks root is here or above`, {
      file: cwd,
      fix: "go to the project, or name the task's folder by its path; task-phase init 'WHAT YOU WANT' makes a task here",
    });
  }
  const folders = listTaskFolders(root);
  const named = folders.find((each) => path.basename(each) === given);
  if (named !== undefined) return named;
  const tasks = listTasks(root);
  const readable = tasks.filter(({ id }) => id === given).map((task) => task.folder);
  const meant = readable.length > 0 ? readable : unreadableNamed(given, folders, tasks);
  const [first, ...others] = meant;
  if (first === undefined)
    throw unknownTask(
      given,
      root,
      folders,
      tasks.map(({ id }) => id),
    );
  if (others.length === 0) return first;
  const what = readable.length > 0 ? "tasks have the id" : "task folders cannot be read and could be";
  throw usageError("TP_USAGE_TASK_ID", `${meant.length} ${what} ${given}`, {
    fix: `name one by its folder: ${meant.map((each) => path.relative(cwd, each)).join(", ")}`,
  });
}

/** A mistake in a brief hides the task's id; by its folder's name the task is found, and its own error is shown. */
function unreadableNamed(id: string, folders: readonly string[], tasks: readonly ListedTask[]): readonly string[] {
  const read = new Set(tasks.map(({ folder }) => folder));
  const isNamed = (name: string) => idFromFolder(name) === id || name.startsWith(`${id}-`);
  return folders.filter((folder) => !read.has(folder) && isNamed(path.basename(folder)));
}

/** A path as it is, unless nothing is there and its last part names a task, of the same folder or of the present root. */
function requireNoOther(cwd: string, given: string, folder: string): string {
  if (isSomething(folder)) return folder;
  const name = path.basename(folder);
  const roots = [path.dirname(folder), findTasksRoot(cwd)].filter((root) => root !== null && isTasksRoot(root));
  for (const root of new Set(roots)) {
    const meant = listTasks(root ?? "").find((task) => task.id === name || path.basename(task.folder) === name);
    if (meant === undefined) continue;
    throw usageError("TP_USAGE_TASK_UNKNOWN", `there is no task folder ${shorten(given)}`, {
      file: folder,
      fix: `did you mean ${path.relative(cwd, meant.folder) || "."}?`,
    });
  }
  return folder;
}

function unknownTask(given: string, root: string, folders: readonly string[], ids: readonly string[]): TaskPhaseError {
  const words = [...ids, ...folders.map((folder) => path.basename(folder))];
  const key = idFromFolder(given);
  const link = linkNamed(given, root);
  if (link !== null) {
    const message = `this is a symbolic link to ${shorten(readlinkSync(link))}; a task of this tasks root must be a folder in it`;
    const fix = "put the folder itself there, or name the task by the path of its folder";
    return usageError("TP_USAGE_TASK_UNKNOWN", message, { file: link, fix });
  }
  const nearest = ids.includes(key) ? key : nearestWord(given, words);
  const fix = nearest === null ? `its tasks are ${renderTasks(root, folders)}` : `did you mean ${nearest}?`;
  return usageError("TP_USAGE_TASK_UNKNOWN", `there is no task ${shorten(given)} in this tasks root`, {
    file: root,
    fix: folders.length === 0 ? "task-phase init makes one" : fix,
  });
}

/** The symbolic link of the tasks root whose name is that of the task, or begins with its id. */
function linkNamed(given: string, root: string): string | null {
  const links = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  const found = links.find(({ name }) => name === given) ?? links.find(({ name }) => idFromFolder(name) === given);
  return found === undefined ? null : path.join(root, found.name);
}

const mostNamed = 10;

/** By their ids; by their folders where a brief cannot be read. */
function renderTasks(root: string, folders: readonly string[]): string {
  const ids = new Map(listTasks(root).map(({ folder, id }) => [folder, id]));
  return nameSome(
    folders.map((folder) => ids.get(folder) ?? path.basename(folder)),
    mostNamed,
  );
}

function requireTasksRoot(cwd: string): string {
  const root = findTasksRoot(cwd);
  if (root !== null) return root;
  throw usageError("TP_USAGE_NO_TARGET", "no task was named, and there is no tasks root here or above", {
    fix: "name a task folder, or make the first with task-phase init 'WHAT YOU WANT'",
  });
}

/** True if something is there, or if that is unknown: then the name is a path, and the command reports the problem. */
function isSomething(folder: string): boolean {
  return orElse(() => lstatSync(folder, { throwIfNoEntry: false }) !== undefined, true);
}
