import { realpathSync, type Stats, statSync } from "node:fs";
import { usageError } from "../report/errors.ts";

/** The real path of a tasks root; a usage error if it is not a folder. */
export function realRoot(tasksRoot: string): string {
  const stat = lookThroughLinks(tasksRoot);
  if (stat?.isDirectory() === true) return realpathSync(tasksRoot);
  throw usageError(
    "TP_TASKS_ROOT",
    stat === null ? "the tasks root does not exist" : "the tasks root is not a folder",
    {
      file: tasksRoot,
      fix: "name the folder that directly contains the task folders",
    },
  );
}

/** Null if nothing is there, a ring of links and a name that is too long included. */
function lookThroughLinks(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
