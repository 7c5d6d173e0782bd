import { join } from "node:path";
import type { TaskPlace } from "./records/task-place.ts";

/** Where a task's lock stands: in the tasks root, seen by every user of it. */
export function taskLockPath(place: Pick<TaskPlace, "runtime" | "name">): string {
  return join(place.runtime, "locks", `${place.name}.lock`);
}
