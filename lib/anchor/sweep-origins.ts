import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { dropOrigin, type OriginPlace } from "../proof/origin.ts";
import { lookAt } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";

const mostBytes = 64 * 1024;

/** Notes whose work as at pass 1 is kept here. */
export function recordOwner({ folder }: OriginPlace, taskDir: string): void {
  putFile(join(folder, "task.txt"), taskDir, { mode: 0o600 });
}

/**
 * Removes the work as at pass 1 of tasks whose folder is gone. A task that is done or blocked keeps it, since a person
 * may reopen it; so does one whose whole tasks root is missing, as on a disk that is not mounted.
 */
export function sweepOrigins(stateHome: string): void {
  const tasks = join(stateHome, "tasks");
  if (lookAt(tasks)?.isDirectory() !== true) return;
  for (const name of readdirSync(tasks)) {
    const folder = join(tasks, name, "origin");
    const read = readRegularFile(join(folder, "task.txt"), mostBytes);
    if (read.kind !== "file") continue;
    const taskDir = read.bytes.toString("utf8");
    const isGone = lookAt(taskDir) === null && lookAt(dirname(taskDir))?.isDirectory() === true;
    if (isGone) dropOrigin({ folder, pool: join(stateHome, "origins") });
  }
}
