import { accessSync, constants, lstatSync } from "node:fs";
import path from "node:path";
import { leadsToFolder } from "../../store/folder.ts";
import { dataError, diskError, type TaskPhaseError, usageError } from "../../text/errors.ts";

/** The entry at a path, links not followed. */
export function entryKind(file: string): "missing" | "file" | "folder" | "link" | "special" {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return "missing";
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "special";
}

/**
 * Makes sure that a task folder can be made or filled here, before anything is written: nothing on the way is in the
 * way, the folder is not a link, and it may be written to. Folders above it may be links.
 */
export function requireUsableFolder(taskDir: string): void {
  if (taskDir.split(path.sep).some((part) => Buffer.byteLength(part) > 255))
    throw notMade(taskDir, "its name is too long");
  const there = firstThatExists(taskDir);
  if (there === taskDir) {
    const kind = entryKind(taskDir);
    if (kind !== "folder") throw inTheWay(taskDir, kind);
  } else if (!leadsToFolder(there)) throw inTheWay(there, entryKind(there));
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw diskError(
      "TP_INIT_NOT_WRITABLE",
      "nothing can be written to this folder",
      { file: there, fix: "choose another --task-dir, or change the folder's permissions" },
      cause,
    );
  }
}

/** Makes sure that a task file is missing or a regular file, and artifacts/ missing or a folder. */
export function requireUsableEntry(file: string, wanted: "file" | "folder"): void {
  const kind = entryKind(file);
  if (kind === "missing" || kind === wanted) return;
  throw dataError("TP_INIT_ODD_FILE", `expected a ${wanted}, found ${nameOf(kind)}`, {
    file,
    fix: "move it away and call init again",
  });
}

function firstThatExists(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    if (exists(at, folder) || at === path.dirname(at)) return at;
  }
}

function exists(at: string, taskDir: string): boolean {
  try {
    return entryKind(at) !== "missing";
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // A file is further up; the walk will meet it.
    if (code === "ENOTDIR") return false;
    throw notMade(taskDir, `the system reports ${code}`, error);
  }
}

function notMade(taskDir: string, problem: string, cause?: unknown): TaskPhaseError {
  const place = { file: taskDir, fix: "choose another --task-dir" };
  return diskError("TP_INIT_NO_FOLDER", `the task folder cannot be created: ${problem}`, place, cause);
}

function inTheWay(file: string, kind: ReturnType<typeof entryKind>): TaskPhaseError {
  return usageError("TP_INIT_NO_FOLDER", `the task folder cannot be created: there is ${nameOf(kind)} here`, {
    file,
    fix: "choose another --task-dir",
  });
}

function nameOf(kind: ReturnType<typeof entryKind>): string {
  return kind === "special" ? "a device, socket or pipe" : kind === "missing" ? "nothing" : `a ${kind}`;
}
