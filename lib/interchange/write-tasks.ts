import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import path from "node:path";
import { applyInit } from "../init/apply.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import { errorCode, storeError } from "../store/error-code.ts";
import { makeFolder, syncFolder } from "../store/folder.ts";
import { tryLock } from "../store/lock.ts";
import { createFile } from "../store/put-file.ts";
import { removeTree } from "../store/replace-entry.ts";
import { listFolder } from "../store/walk.ts";
import type { PlannedTask } from "./plan-tasks.ts";

const half = /^import-[0-9a-f]{16}$/;

/**
 * Makes the planned folders, each whole at once: it is written under `.task-phase/locks/`, which neither git nor a pass
 * looks into, and then moved to its place. A call that was cut short leaves whole folders, and the next one makes the
 * others. `announce` is called with each folder before it appears. Throws a locked error if another import is at
 * work in this tasks root.
 */
export function writeTasks(tasksRoot: string, tasks: readonly PlannedTask[], announce: (folder: string) => void): void {
  const locks = path.join(tasksRoot, ".task-phase", "locks");
  makeFolder(locks);
  // Locks mean nothing in another checkout.
  createFile(path.join(locks, ".gitignore"), "*\n");
  const lock = tryLock(path.join(locks, ".import.lock"));
  if (lock === null) throw locked("another import is running in this tasks root", tasksRoot);
  try {
    removeHalfMade(locks);
    for (const { id, folder, files } of tasks) {
      if (files === null) continue;
      const scratch = path.join(locks, `import-${randomBytes(8).toString("hex")}`);
      try {
        applyInit({ id, files }, scratch);
        announce(folder);
        moveInPlace(scratch, folder);
      } catch (error) {
        removeTree(Buffer.from(scratch));
        throw error;
      }
    }
  } finally {
    lock.release();
  }
}

function moveInPlace(from: string, to: string): void {
  try {
    renameSync(from, to);
    syncFolder(path.dirname(to));
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error)))
      throw locked("something appeared in place of a task folder while this import was running", to);
    throw storeError("make the folder", to, error);
  }
}

/** Leftovers of a killed import. */
function removeHalfMade(locks: string): void {
  for (const { name } of listFolder(Buffer.from(locks))) {
    if (half.test(name.toString())) removeTree(Buffer.from(path.join(locks, name.toString())));
  }
}

function locked(message: string, file: string): TaskPhaseError {
  return new TaskPhaseError("locked", [errorFinding("TP_LOCKED", message, { file, fix: "run import again" })]);
}
