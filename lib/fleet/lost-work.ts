import { join } from "node:path";
import { stands } from "../anchor/task-place.ts";
import type { ClaimNote } from "./claim-note.ts";
import type { ClaimPlace } from "./places.ts";

/** As `refs/task-phase/lost/T-1/3-ATTEMPT`. */
export function lostRef(branch: string, pass: number, attempt: string): string {
  return `${lostRefsOf(branch)}${pass}-${attempt}`;
}

/** What all of a task are under, such as `refs/task-phase/lost/T-1/`. */
export function lostRefsOf(branch: string): string {
  return `refs/task-phase/lost/${branch.slice(branch.lastIndexOf("/") + 1)}/`;
}

/**
 * Where the working tree of a lost pass is kept if the remote takes no ref for it: a folder that is not there yet, since
 * a scheduler may give each call the same name. The lock of the task is held.
 */
export function findLostTree({ lost }: Pick<ClaimPlace, "lost">, { pass, attempt }: ClaimNote): string {
  const folder = join(lost, `${pass}-${attempt}`);
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? folder : `${folder}-${count}`;
    if (!stands(free)) return free;
  }
}
