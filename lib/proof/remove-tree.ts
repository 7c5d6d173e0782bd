import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { passMachineFault } from "../store/error-code.ts";

/** Removes a folder in which someone else may have taken rights away. False if something of it is left. */
export function removeTree(folder: string): boolean {
  return tryToRemove(folder) === null;
}

/** The same for what is in the way of a copy, which says nothing about the work if the machine fails: throws TP_DISK. */
export function clearWay(folder: string): boolean {
  const problem = tryToRemove(folder);
  passMachineFault(problem);
  return problem === null;
}

/** What kept something of it from being removed; null if it is gone. */
function tryToRemove(folder: string): unknown {
  let problem: unknown = null;
  for (const before of [() => undefined, () => giveRights(folder)]) {
    try {
      before();
      rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
      return null;
    } catch (error) {
      // The second time with rights; whoever asked says what is left after that.
      problem = error;
    }
  }
  return problem;
}

function giveRights(folder: string): void {
  if (!lstatSync(folder).isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) giveRights(join(folder, entry.name));
  }
}
