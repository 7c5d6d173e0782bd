import { chmodSync, lstatSync, rmSync } from "node:fs";
import { passMachineFault } from "./error-code.ts";
import { joinBytes } from "./path-key.ts";
import { listFolder } from "./walk.ts";

/** Removes a folder in which someone else may have taken rights away. False if something of it is left. */
export function removeTree(folder: string | Buffer): boolean {
  return tryToRemove(folder) === null;
}

/** Removes what is in the way of a copy. A failure of the machine says nothing about the work: throws TP_DISK. */
export function clearWay(folder: string): boolean {
  const problem = tryToRemove(folder);
  passMachineFault(problem);
  return problem === null;
}

/** What kept something of it from being removed; null if it is gone. */
function tryToRemove(folder: string | Buffer): unknown {
  let problem: unknown = null;
  for (const before of [() => undefined, () => giveRights(Buffer.from(folder))]) {
    try {
      before();
      rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
      return null;
    } catch (error) {
      // Try again with rights; the caller reports what remains.
      problem = error;
    }
  }
  return problem;
}

function giveRights(folder: Buffer): void {
  if (!lstatSync(folder).isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const entry of listFolder(folder)) {
    if (entry.isDirectory()) giveRights(joinBytes(folder, entry.name));
  }
}
