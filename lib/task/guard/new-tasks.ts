import { join } from "node:path";
import { isLocked } from "../../store/lock.ts";
import { putFile } from "../../store/put-file.ts";
import { openPrivateFolder } from "../../store/state-home.ts";
import { listTaskFolders } from "../guarded-paths.ts";
import { anchorFolder } from "../records/anchor.ts";
import type { PassPorts } from "../records/ports.ts";
import { readHead } from "../records/records.ts";
import { placeOf, stands, type TaskPlace } from "../records/task-place.ts";
import { taskLockPath } from "../task-lock.ts";

const noteName = "made-by-init";

/** Records, outside of a pass, that a person made this task: init is refused inside a pass. */
export function recordNewTask(taskDir: string, ports: Pick<PassPorts, "env" | "home">): void {
  const folder = anchorFolder(taskDir, ports);
  openPrivateFolder(folder);
  putFile(join(folder, noteName), "", { mode: 0o600 });
}

/** New task folders that neither init nor their own runner explains: no person wrote their contracts. */
export function findStrangeTasks(
  place: TaskPlace,
  known: { has(folder: string): boolean },
  ports: Pick<PassPorts, "env" | "home">,
): string[] {
  return listTaskFolders(place.tasksRoot).filter((folder) => {
    if (folder === place.taskDir || known.has(folder)) return false;
    const anchor = anchorFolder(folder, ports);
    return !stands(join(anchor, noteName)) && readHead(anchor) === null && !isLocked(taskLockPath(placeOf(folder)));
  });
}
