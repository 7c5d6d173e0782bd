import { readdirSync } from "node:fs";
import { join } from "node:path";
import { lookAt, removeAll } from "../store/folder.ts";
import { namesOfNewest, newestName } from "../store/newest-rows.ts";

/** A pass needs less to record what it needs and to say so in its current.json. */
const staleMs = 60 * 60 * 1000;

/**
 * Removes copies that nothing needs any more: packs that the newest record of their root does not name. None as long
 * as any pass is running or was cut off, since it may need what the newest record does not.
 */
export function sweepTrees(stateHome: string): void {
  const tasks = join(stateHome, "tasks");
  if (namesIn(tasks).some((name) => lookAt(join(tasks, name, "current.json")) !== null)) return;
  for (const folder of namesIn(join(stateHome, "trees")).map((name) => join(stateHome, "trees", name))) {
    const needed = new Set([newestName, ...namesOfNewest(folder)]);
    for (const name of namesIn(folder)) {
      const stats = lookAt(join(folder, name));
      if (!needed.has(name) && stats?.isFile() === true && Date.now() - stats.mtimeMs > staleMs)
        removeAll(join(folder, name));
    }
  }
}

function namesIn(folder: string): string[] {
  return lookAt(folder)?.isDirectory() === true ? readdirSync(folder) : [];
}
