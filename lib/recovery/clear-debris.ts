import { dirname, join } from "node:path";
import type { Anchor } from "../anchor/anchor.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { lookAt } from "../store/folder.ts";
import { listWrittenOf } from "../store/state-home.ts";
import { isDebris, removeDebris } from "../store/temporary-file.ts";
import { listReadable } from "../store/walk.ts";

/**
 * Removes the temporary files of runs that were killed while they wrote. Only the holder of the task's lock writes
 * to these folders.
 */
export function clearDebris(place: TaskPlace, anchor: Anchor): void {
  for (const folder of [...listWrittenOf(anchor.folder), place.taskDir, place.artifacts]) clearFolder(folder);
  if (lookAt(place.passes)?.isDirectory() === true) clearTree(place.passes);
}

/** The same for the folders of protected paths; for the holder of the repo's lock. */
export function clearRepoDebris(repo: string, paths: readonly string[]): void {
  for (const folder of new Set(paths.map((path) => dirname(join(repo, path))))) clearFolder(folder);
}

/** A link in the place is not followed. */
function clearFolder(folder: string): void {
  if (lookAt(folder)?.isDirectory() === true) removeDebris(folder);
}

/** Looks once into each folder: a task has some for every pass. */
function clearTree(folder: string): void {
  const entries = listReadable(folder);
  if (entries.some(({ name }) => isDebris(name))) removeDebris(folder);
  for (const entry of entries) if (entry.isDirectory()) clearTree(join(folder, entry.name));
}
