import { rmSync } from "node:fs";
import { anchorFolder } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import { removeRecords } from "../anchor/records.ts";
import type { ClaimContext } from "./claim-context.ts";
import { removeNote } from "./claim-note.ts";

/** Nothing of it is needed any more; the runner's own notes of a pass that was not claimed go with it. */
export function dropClone({ place, ports }: ClaimContext, taskDir: string): void {
  rmSync(place.clone, { recursive: true, force: true });
  forgetPass(taskDir, ports);
  removeNote(place.note);
}

function forgetPass(taskDir: string, ports: PassPorts): void {
  const folder = anchorFolder(taskDir, ports);
  try {
    removeRecords({ folder });
  } catch (error) {
    // No pass was begun there yet.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
