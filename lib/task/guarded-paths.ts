import { readdirSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { readControl } from "../documents/control.ts";
import type { Tamper } from "../rules/facts.ts";
import { controlFile, guardedFiles, runnerArtifacts } from "../rules/guarded-files.ts";
import { isLocked } from "../store/lock.ts";
import { readRegularFile } from "../store/read-file.ts";
import { rootPaths } from "./board-files.ts";
import { anchorFolder } from "./records/anchor.ts";
import type { CurrentPass } from "./records/anchor-shapes.ts";
import type { PassPorts } from "./records/ports.ts";
import { type RunnerTrace, readTrace } from "./records/records.ts";
import { placeOf, stands, type TaskPlace } from "./records/task-place.ts";
import { taskLockPath } from "./task-lock.ts";

/** The paths that a pass must not change, besides the protected paths of the repo, and how each is named. */
export interface GuardedPaths {
  readonly roots: readonly string[];
  /** True for what a pass may do as it likes with. */
  skip(path: string): boolean;
}

/** CONTROL.md is a person's and everything else in the task folder is the agent's. Folders of passes are trees. */
export function guardedPaths(place: TaskPlace, configPaths: readonly string[], repo: string): GuardedPaths {
  const locks = join(place.runtime, "locks");
  return {
    roots: [place.taskDir, place.runtime, ...rootPaths(place.tasksRoot, repo), ...configPaths],
    skip(path) {
      if (path === locks || path.startsWith(locks + sep)) return true;
      const inside = relative(place.taskDir, path);
      if (inside === "" || inside.startsWith("..")) return false;
      const [first, second] = inside.split(sep);
      if (first === "artifacts" && second === "passes") return true;
      if (first === "artifacts") return second !== undefined && !runnerArtifacts.includes(second);
      return first === undefined || !guardedFiles.has(first);
    },
  };
}

/** The other task folders of the tasks root: direct folders that hold a STATE.md or a journal. */
export function listOtherTasks(place: TaskPlace): string[] {
  return listTaskFolders(place.tasksRoot).filter((folder) => folder !== place.taskDir);
}

/** Every task folder of a tasks root, by name. */
export function listTaskFolders(tasksRoot: string): string[] {
  return readdirSync(tasksRoot, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => join(tasksRoot, entry.name))
    .filter((folder) => stands(join(folder, "STATE.md")) || stands(join(folder, "artifacts", "journal.jsonl")))
    .sort();
}

/**
 * True if a path in another task's folder is its own runner's to write: that is running, or has moved the journal since
 * this was noted. A call that made no event (`run` that was refused, `answer`, `evidence`) writes only some files.
 */
export function isOfOwnRunner(
  folder: string,
  path: string,
  known: RunnerTrace | undefined,
  ports: Pick<PassPorts, "env" | "home">,
): boolean {
  const inside = relative(folder, path);
  if (isLocked(taskLockPath(placeOf(folder)))) return true;
  // A person's, but for a RETRY: an agent could give it to other tasks.
  if (inside === controlFile) return asksNoRetry(path);
  const now = readTrace(anchorFolder(folder, ports));
  if (now.head !== (known?.head ?? null)) return true;
  const [first = "", second] = inside.split(sep);
  const isWritten =
    first === "artifacts"
      ? second === undefined || (second !== "journal.jsonl" && runnerArtifacts.includes(second))
      : first !== "README.md" && first !== "TASKS.md" && guardedFiles.has(first);
  return isWritten && now.at !== (known?.at ?? null);
}

function asksNoRetry(path: string): boolean {
  const there = readRegularFile(path, 1024 * 1024);
  const read = there.kind === "file" ? readControl(there.bytes, path) : null;
  return read?.kind === "control" && read.open.every(({ command }) => command !== "RETRY");
}

/** True for the board, and for what `init` wrote for git, in the tasks root. */
export function isOfRoot({ tasksRoot }: TaskPlace, repo: string, path: string): boolean {
  return rootPaths(tasksRoot, repo).includes(path);
}

/** A guarded path for people: in the task folder, else from the tasks root on. */
export function shownPath(place: TaskPlace, path: string): string {
  const inTask = relative(place.taskDir, path);
  if (inTask !== "" && !inTask.startsWith("..")) return inTask;
  const inRoot = relative(place.tasksRoot, path);
  return inRoot.startsWith("..") ? path.replace(/^\/+/, "") : join(basename(place.tasksRoot), inRoot);
}

export function guardName(
  place: TaskPlace,
  { config_paths: configs, repo }: Pick<CurrentPass, "config_paths" | "repo">,
  path: string,
): Tamper["guard"] {
  if (configs.includes(path) || path === place.runtime || path.startsWith(place.runtime + sep)) return "config";
  if (isOfRoot(place, repo, path)) return "runner_file";
  const inside = relative(place.taskDir, path);
  return inside.startsWith("..") ? "other_task" : (guardedFiles.get(inside)?.guard ?? "runner_file");
}
