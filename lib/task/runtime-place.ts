import { join } from "node:path";
import { isLocked } from "../store/lock.ts";
import { listOtherTasks } from "./guarded-paths.ts";
import { anchorFolder } from "./records/anchor.ts";
import type { PassPorts } from "./records/ports.ts";
import { placeOf, stands, type TaskPlace } from "./records/task-place.ts";
import { hasEdits, type RuntimeFiles, runtimeFilesOf, takeEdits, underRuntimeLock } from "./runtime-files.ts";
import { taskLockPath } from "./task-lock.ts";

type StatePorts = Pick<PassPorts, "env" | "home" | "runtimeRoot">;

export function runtimeOf(place: TaskPlace, ports: StatePorts): RuntimeFiles {
  return runtimeFilesOf(ports.runtimeRoot ?? place.tasksRoot, ports.env, ports.home);
}

/** The folder whose files a reader believes, who takes no lock: as `changeNotes` would find them. */
export function believedFolder(place: TaskPlace, ports: StatePorts): string {
  const files = runtimeOf(place, ports);
  return stands(files.own) && hasEdits(files) && isOtherAtWork(place, ports) ? files.own : files.folder;
}

/**
 * Acts on the notes while no other runner writes them. Before that, what a person changed in the tasks root becomes the
 * truth, unless a pass of another task is running: its model may be running there. Throws a locked error, or TP_DISK.
 */
export function changeNotes(place: TaskPlace, ports: StatePorts, act: (files: RuntimeFiles) => void): void {
  const files = runtimeOf(place, ports);
  underRuntimeLock(files, () => {
    if (hasEdits(files) && !isOtherAtWork(place, ports)) takeEdits(files);
    act(files);
  });
}

/** Half-written files of killed runs there are removed. Throws a locked error, or TP_DISK. */
export function clearNotesDebris(place: TaskPlace, ports: StatePorts): void {
  underRuntimeLock(runtimeOf(place, ports), () => undefined);
}

/** Two locks, since an agent can take away the one in the tasks root. Opens both of every other task. */
function isOtherAtWork(place: TaskPlace, ports: StatePorts): boolean {
  return listOtherTasks(place).some(
    (folder) => isLocked(taskLockPath(placeOf(folder))) || isLocked(join(anchorFolder(folder, ports), "task.lock")),
  );
}
