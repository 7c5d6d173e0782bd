import { accessSync, constants } from "node:fs";
import { renderError } from "../store/error-code.ts";
import { statEntry } from "../store/folder.ts";
import { dataError, diskError } from "../text/errors.ts";
import type { TaskPlace } from "./records/task-place.ts";

/** The runner's own folders are real ones or not there yet: through a link it would write somewhere else. */
export function requireOwnFolders(place: TaskPlace): void {
  for (const folder of [place.artifacts, place.passes]) {
    const stats = statEntry(folder);
    if (stats === null || stats.isDirectory()) continue;
    const what = stats.isSymbolicLink() ? "a symbolic link" : "not a folder";
    throw dataError("TP_TASK_FILE", `this is ${what}; a folder is expected`, {
      file: folder,
      fix: "move it away; git may still have the folder that belongs there",
    });
  }
}

/**
 * Whether the verdict of a pass could be written where it belongs: asked before a model is paid for it, and before the
 * rights of the folder are recorded as those to restore. Throws TP_DISK.
 */
export function requireWritable(place: TaskPlace): void {
  for (const folder of [place.taskDir, place.artifacts, place.passes].filter((path) => statEntry(path) !== null)) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (cause) {
      const message = `the task folder cannot be written to: ${renderError(cause)}`;
      throw diskError(
        "TP_DISK",
        message,
        { file: folder, fix: "give this user write permission, then run it again; no model was called" },
        cause,
      );
    }
  }
}
