import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "./is-running.ts";

/** Makes a private folder whose name says which runner made it, so that one that a kill left behind is found. */
export function makeTemporaryFolder(purpose: "git" | "index" | "links" | "branches"): string {
  return mkdtempSync(join(tmpdir(), `task-phase-${purpose}-${pidNamespace()}-${process.pid}-`));
}

/** Removes those of killed runners. Those of living ones, of other users and of other pid namespaces stay. */
export function sweepTemporaryFolders(): void {
  const own = new RegExp(`^task-phase-(?:git|index|links|branches)-${pidNamespace()}-(\\d+)-`);
  removeTemporaryFolders((name) => {
    const pid = own.exec(name)?.[1];
    return pid !== undefined && !isRunning(Number(pid));
  });
}

/** Removes the folders of this user among the temporary files whose names are left behind. */
export function removeTemporaryFolders(isLeft: (name: string) => boolean): void {
  const user = process.geteuid?.();
  for (const name of readdirSync(tmpdir()).filter(isLeft)) {
    const path = join(tmpdir(), name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true && (user === undefined || stats.uid === user))
      rmSync(path, { recursive: true, force: true });
  }
}

/** A pid of another pid namespace says nothing here. `0` on systems without /proc. */
export function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}
