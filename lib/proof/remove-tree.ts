import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes a folder in which someone else may have taken rights away. False if something of it is left. */
export function removeTree(folder: string): boolean {
  for (const before of [() => undefined, () => giveRights(folder)]) {
    try {
      before();
      rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
      return true;
    } catch {
      // The second time with rights; whoever asked says what is left after that.
    }
  }
  return false;
}

function giveRights(folder: string): void {
  if (!lstatSync(folder).isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) giveRights(join(folder, entry.name));
  }
}
