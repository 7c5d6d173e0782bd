import { rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "../../store/folder.ts";
import type { CliAdapter } from "../adapters/adapter.ts";

/** Removes what a session left behind, of a CLI that cannot be kept from writing it. What cannot be removed stays. */
export function removeSession(adapter: CliAdapter, sessionId: string, env: Readonly<Record<string, string>>): void {
  for (const path of adapter.sessionPaths?.(sessionId, env, env.HOME ?? homedir()) ?? []) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Nothing depends on it.
    }
  }
}

/**
 * A folder for temporary files that goes with the work folder, for a CLI that needs one. Thrown is an error of the
 * disk.
 */
export function temporaryFolderEnv(adapter: CliAdapter, workFolder: string): Readonly<Record<string, string>> {
  if (adapter.leavesTemporary !== true) return {};
  // In a sandbox it is /tmp too.
  const folder = join(workFolder, "tmp");
  makeFolder(folder, 0o700);
  return { TMPDIR: folder };
}
