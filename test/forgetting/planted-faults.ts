import path from "node:path";
import { pathToFileURL } from "node:url";

export interface PlantedFault {
  readonly name: string;
  /** The module that plants it. */
  readonly preload: string;
}

const module = pathToFileURL(path.join(import.meta.dirname, "without-sync.js")).href;

function leaveOut(name: string, of: string): PlantedFault {
  return { name, preload: `${module}?of=${encodeURIComponent(of)}` };
}

export const nothingSynced = leaveOut("nothing is synced", ".");

/** Mistakes in what the runner syncs, each by the paths that it leaves out. */
export const plantedFaults: readonly PlantedFault[] = Object.entries({
  "the bytes in the state folder are not synced": "/state/task-phase/tasks/[^/]+/\\.tp-\\w+\\.tmp$",
  "the journal is not synced": "/journal\\.jsonl$",
  "log.txt is not synced": "/log\\.txt$",
  "the folder of STATE.md is not synced": "/tasks/T-\\d+$",
  "the bytes of STATE.md are not synced": "/tasks/T-\\d+/\\.tp-\\w+\\.tmp$",
  "the names in the state folder are not synced": "/state/task-phase/tasks/[^/]+$",
  "the folder of a pass is not synced": "/artifacts/passes/\\d+$",
}).map(([name, of]) => leaveOut(name, of));
