import { linkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { orElse } from "../text/attempt.ts";
import { makeFolder, statEntry, syncFolder } from "./folder.ts";

/**
 * Shares one file between stores with the same bytes, by hard links: hundreds of tasks, each guarded against all
 * others, would otherwise need that number squared of copies. Only saves work and space: on any failure the store
 * copies the bytes itself. `blobs` is one store's folder, on the same file system; both folders are the runner's alone.
 */
export function openBlobPool(folder: string, blobs: string) {
  let taken = false;
  return {
    open: () => makeFolder(folder, 0o700),
    /** True if the store has the bytes now. */
    take(name: string, size: number | undefined): boolean {
      const there = statEntry(join(folder, name));
      if (there?.isFile() !== true || there.size !== size) return false;
      // Another store may drop it at this moment.
      taken = attempt(() => linkSync(join(folder, name), join(blobs, name))) || taken;
      return statEntry(join(blobs, name))?.isFile() === true;
    },
    give: (name: string) => void attempt(() => linkSync(join(blobs, name), join(folder, name))),
    /** Forgets the bytes if no store has them any more. */
    drop(name: string): void {
      if (statEntry(join(folder, name))?.nlink === 1) attempt(() => rmSync(join(folder, name)));
    },
    sync(): void {
      if (taken) syncFolder(blobs);
      taken = false;
    },
  };
}

function attempt(act: () => void): boolean {
  return orElse(() => {
    act();
    return true;
  }, false);
}
