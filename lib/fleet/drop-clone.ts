import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { anchorFolder } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import { clearRecords, readCurrent, readProcess } from "../anchor/records.ts";
import { stands } from "../anchor/task-place.ts";
import { leftGraceMs } from "../machine/grace.ts";
import { endSurvivors } from "../process/survivors.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import type { ClaimContext } from "./claim-context.ts";
import { removeNote } from "./claim-note.ts";

/**
 * The working tree is not needed for a pass any more. `taskDir`: the task in it, if it got so far. `lost`: the folder
 * where it is kept, since nothing else has what was made in it.
 */
export async function dropClone(
  { place, ports }: ClaimContext,
  taskDir: string | null,
  lost: string | null = null,
): Promise<void> {
  const trees = [place.clone, place.pair];
  const kept = trees.find((folder) => stands(folder));
  if (lost !== null && kept !== undefined) {
    openPrivateFolder(dirname(lost));
    renameSync(kept, lost);
  }
  for (const folder of trees) rmSync(folder, { recursive: true, force: true });
  if (taskDir !== null) await forgetPass(taskDir, ports);
  removeNote(place.note);
}

/**
 * The runner's record of a pass says what the task folder has to be, and a folder that was made anew at the same path is
 * another one: it would be put back to what it was, and what others did since would be gone. Processes of that pass are
 * ended.
 */
export async function forgetPass(taskDir: string, ports: PassPorts): Promise<void> {
  const folder = anchorFolder(taskDir, ports);
  if (!stands(folder)) return;
  const current = readCurrent(folder);
  if (current !== null) await endSurvivors(current.mark, readProcess(folder), leftGraceMs);
  clearRecords({ folder });
}
