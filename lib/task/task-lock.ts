import { join } from "node:path";
import type { TaskPlace } from "./records/task-place.ts";

/** The path of a task's lock: in the tasks root, where every user of it finds it. */
export function taskLockPath(place: Pick<TaskPlace, "runtime" | "name">): string {
  return join(place.runtime, "locks", `${place.name}.lock`);
}
