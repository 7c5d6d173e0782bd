import { dirname, join } from "node:path";
import { placeOf } from "../anchor/task-place.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import { makeFolder } from "../store/folder.ts";
import { type FileLock, isLocked, tryLock } from "../store/lock.ts";
import { createFile } from "../store/put-file.ts";
import type { LoopRequest } from "./loop-request.ts";

/**
 * One loop on one target: a second start while one runs ends at once with exit 75, also in the moments between two
 * passes in which no task is locked. Goes with the process, however it ends. `target` holds real paths.
 */
export function lockLoop(target: LoopRequest["target"]): FileLock {
  const path = lockPathOf(target);
  makeFolder(dirname(path));
  createFile(join(dirname(path), ".gitignore"), "*\n");
  const lock = tryLock(path);
  if (lock !== null) return lock;
  throw new TaskPhaseError("locked", [
    errorFinding("TP_LOCKED", `another loop runs on this ${target.kind === "root" ? "tasks root" : "task"}`, {
      file: path,
      fix: "wait for it to end, then try again",
    }),
  ]);
}

/** Makes nothing. */
export function isLoopRunning(target: LoopRequest["target"]): boolean {
  return isLocked(lockPathOf(target));
}

function lockPathOf(target: LoopRequest["target"]): string {
  if (target.kind === "root") return join(target.tasksRoot, ".task-phase", "locks", "loop.lock");
  const { runtime, name } = placeOf(target.taskDir);
  return join(runtime, "locks", `${name}.loop.lock`);
}
