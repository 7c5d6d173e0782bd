import { rmSync } from "node:fs";
import { homedir } from "node:os";
import type { CliAdapter } from "./adapter.ts";

/** Removes what a session left behind, of a CLI that cannot be kept from writing it. What cannot be removed stays. */
export function removeSession(
  adapter: CliAdapter,
  sessionId: string | null,
  env: Readonly<Record<string, string>>,
): void {
  if (sessionId === null || adapter.sessionPaths === undefined) return;
  for (const path of adapter.sessionPaths(sessionId, env, env.HOME ?? homedir())) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Nothing depends on it.
    }
  }
}
