import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Anchor } from "../anchor/anchor.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { removeDebris } from "../store/put-file.ts";
import { listReadable } from "../store/walk.ts";

/**
 * Removes the temporary files of runs that were killed while they wrote. Only the holder of the task's lock writes
 * to these folders.
 */
export function clearDebris(place: TaskPlace, anchor: Anchor): void {
  const single = [anchor.folder, join(anchor.folder, "copies", "blobs"), place.taskDir, place.artifacts];
  for (const folder of [...single, ...listFolders(place.passes)]) clearFolder(folder);
}

/** The same for the folders of protected paths; for the holder of the repo's lock. */
export function clearRepoDebris(repo: string, paths: readonly string[]): void {
  for (const folder of new Set(paths.map((path) => dirname(join(repo, path))))) clearFolder(folder);
}

/** A link in the place is not followed. */
function clearFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) removeDebris(folder);
}

/** The folder and all folders in it. */
function listFolders(folder: string): string[] {
  const inner = listReadable(folder).filter((entry) => entry.isDirectory());
  return [folder, ...inner.flatMap((entry) => listFolders(join(folder, entry.name)))];
}
