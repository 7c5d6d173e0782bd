import path from "node:path";
import { errorFinding, type Finding } from "../report/finding.ts";
import { readIfGood, taskFiles } from "../task-folder/task-files.ts";
import { shorten } from "../text/shorten.ts";
import { importedMark } from "./brief-text.ts";

/** A task that is in the tasks root already. */
export interface KnownTask {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly folder: string;
  readonly body: string;
}

/** The tasks of these folders. One whose brief cannot be read has no id that could be met, and is left out. */
export function readKnownTasks(folders: readonly string[]): KnownTask[] {
  return folders.flatMap((folder) => {
    const brief = readIfGood(taskFiles.brief, folder);
    if (brief === null) return [];
    const { id, dependsOn } = brief.contract;
    return [{ id, dependsOn, folder, body: brief.body }];
  });
}

/**
 * The task with this id, if it is the one that an import made or would make: by its mark, else by its folder's name.
 */
export function isOwnTask(task: KnownTask, name: string): boolean {
  return task.body.includes(importedMark) || path.basename(task.folder) === name;
}

export function idTaken(task: KnownTask, name: string, place: Parameters<typeof errorFinding>[2]): Finding {
  const other = path.basename(task.folder);
  return errorFinding(
    "TP_IMPORT_ID_TAKEN",
    `the id "${shorten(task.id)}" belongs to the task in ${shorten(other)}/, which no import made`,
    { ...place, fix: `change one of the two ids; if they are the same task, rename that folder to ${name}` },
  );
}
