import { join } from "node:path";
import { clearRuntimeDebris, lockRuntime, type RuntimeFiles, runtimeFilesOf } from "../models/runtime-files.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import { isLocked } from "../store/lock.ts";
import { anchorFolder } from "./anchor.ts";
import { listOtherTasks, taskLockPath } from "./guarded-paths.ts";
import type { PassPorts } from "./ports.ts";
import { placeOf, stands, type TaskPlace } from "./task-place.ts";

export function runtimeOf(place: TaskPlace, ports: Pick<PassPorts, "env" | "home">): RuntimeFiles {
  return runtimeFilesOf(place.tasksRoot, ports.env, ports.home);
}

/**
 * The folder whose files are to be believed. That is the one in the tasks root, where a person may change them between
 * passes; but while a pass of another task is under way its model may be at work there, and only the mirror is sure.
 */
export function believedFolder(place: TaskPlace, ports: Pick<PassPorts, "env" | "home">): string {
  const files = runtimeOf(place, ports);
  return stands(files.mirror) && isOtherAtWork(place, ports) ? files.mirror : files.folder;
}

/** Two locks, since an agent can take away the one in the tasks root. */
function isOtherAtWork(place: TaskPlace, ports: Pick<PassPorts, "env" | "home">): boolean {
  return listOtherTasks(place).some(
    (folder) => isLocked(taskLockPath(placeOf(folder))) || isLocked(join(anchorFolder(folder, ports), "task.lock")),
  );
}

/** Runs it while no other runner writes these files; throws a locked error where one keeps doing so. */
export function underRuntimeLock<Value>(
  place: TaskPlace,
  ports: Pick<PassPorts, "env" | "home">,
  act: (files: RuntimeFiles, believed: string) => Value,
): Value {
  const files = runtimeOf(place, ports);
  const lock = lockRuntime(files);
  if (lock === null) {
    throw new TaskPhaseError("locked", [
      errorFinding("TP_LOCKED", "another runner holds the notes about models for too long", {
        file: join(files.folder, "locks", "models.lock"),
        fix: "try again; where it lasts, see what holds that file open",
      }),
    ]);
  }
  try {
    for (const folder of [files.folder, files.mirror]) clearRuntimeDebris(folder);
    return act(files, believedFolder(place, ports));
  } finally {
    lock.release();
  }
}
