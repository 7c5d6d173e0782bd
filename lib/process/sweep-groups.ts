import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ownGroup, removeGroup } from "./control-group.ts";
import { isRunning } from "./identity.ts";

/** Removes empty groups of killed runners, even without notes. The kernel protects groups in use. */
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
