import { watch } from "node:fs";
import { basename, dirname } from "node:path";

/**
 * Calls `look` as soon as the file is written, where the system tells that; elsewhere a poll has to find it. Gives what
 * ends it.
 */
export function watchFile(file: string, look: () => void): () => void {
  const name = basename(file);
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_, changed) => {
      if (changed === name) look();
    });
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    // Too many watches, a file system without them, or no such folder.
    return () => {};
  }
}
