import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ownGroup, removeGroup } from "./control-group.ts";
import { isRunning } from "./is-running.ts";

/**
 * Removes the empty groups of runners that are gone, which a kill in the middle left behind: their notes may have gone
 * with the folder of the run. Never one of a living runner; one that anything lives in, the system itself keeps.
 */
export function sweepGroups(): void {
  const parent = ownGroup();
  if (parent === null) return;
  for (const name of listQuietly(parent)) {
    const pid = /^task-phase-(?:tether-.+-(\d+)-\d+|probe-(\d+))$/.exec(name)?.slice(1).find(Boolean);
    if (pid !== undefined && !isRunning(Number(pid))) removeGroup(join(parent, name));
  }
}

function listQuietly(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
