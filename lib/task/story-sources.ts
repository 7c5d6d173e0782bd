import { resolve } from "node:path";
import type { StorySource } from "../documents/contract.ts";
import { createStatCache } from "../store/cache-file.ts";
import { statEntry } from "../store/folder.ts";
import { readRegularFile } from "../store/read-file.ts";
import { listTasks } from "./list-tasks.ts";
import type { TaskPlace } from "./records/task-place.ts";

/** A prd.json of a thousand stories has about 1 MiB. */
const maxPrdBytes = 4 * 1024 * 1024;

/** The prd.json that a task's brief names, as an absolute path. */
export function prdOf(taskDir: string, { prd }: StorySource): string {
  return resolve(taskDir, prd);
}

/**
 * The prd.json files of the tasks of a root, which are no part of the repo's contents: the runner writes there what is
 * done, and that must not look as if the code of another task had moved. A link, and a file without stories, hides
 * nothing.
 */
export function prdExcludes(place: TaskPlace): string[] {
  const named = prdsNamed.get(place) ?? namePrds(place);
  prdsNamed.set(place, named);
  return named.filter((path) => statEntry(path)?.isFile() === true && prdSeen(path, () => holdsStories(path)));
}

// By the place that a pass is on: the code before and after it is compared without the same files.
const prdsNamed = new WeakMap<TaskPlace, readonly string[]>();

function namePrds({ tasksRoot }: TaskPlace): readonly string[] {
  const named = listTasks(tasksRoot).flatMap(({ folder, source }) => (source === null ? [] : [prdOf(folder, source)]));
  return [...new Set(named)];
}

const prdSeen = createStatCache<boolean>();

function holdsStories(path: string): boolean {
  const read = readRegularFile(path, maxPrdBytes);
  return read.kind === "file" && read.bytes.includes('"userStories"');
}
