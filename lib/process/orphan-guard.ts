import { spawnWaiting } from "./spawn-child.ts";
import { containment } from "./survivors.ts";

/** Stands by as long as something runs that must not outlive this process. */
export interface OrphanGuard {
  /** It ran to its end: the guard goes, and does nothing. */
  release(): void;
}

/** The first word of the program's call, which no help shows: only a guard makes it. */
export const endOrphansWord = "end-orphans";

const nobody: OrphanGuard = { release: () => undefined };

/** A word on the pipe is the good end. Its other end closes without one if the process that holds it is killed. */
const script = 'read -r word && exit 0; exec "$@"';

/**
 * Has `argv` run if this process dies before the guard is released, however it dies: a shell in a session of its own
 * waits at a pipe that only this process holds. Nothing is guarded where the system has no /proc to find orphans by, or
 * no shell; then the next run ends them. `env` is the whole environment of the program.
 */
export function guardOrphans(argv: readonly string[], env: NodeJS.ProcessEnv): OrphanGuard {
  if (containment() !== "proc") return nobody;
  const child = spawnWaiting({ argv: ["/bin/sh", "-c", script, "sh", ...argv], cwd: "/", env });
  // A shell that cannot be started, or was killed, guards nothing; what it guards is not worse off than without it.
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  return { release: () => void child.stdin.end("done\n") };
}
