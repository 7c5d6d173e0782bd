import { spawnWaiting } from "./spawn-child.ts";
import { containment } from "./survivors.ts";

interface OrphanGuard {
  release(): void;
}

/** The guard's own first argument, absent from help. */
export const endOrphansWord = "end-orphans";

const nobody: OrphanGuard = { release: () => undefined };

/** A word on the pipe is the good end; a killed holder closes it without one. */
const script = 'read -r word && exit 0; exec "$@"';

/**
 * Runs `argv` if this process dies before the release, in whatever way: a shell in its own session waits at a pipe that
 * only this process holds. Guards nothing without /proc or a shell; then the next run ends the orphans. `env` is the
 * program's whole environment.
 */
export function guardOrphans(argv: readonly string[], env: NodeJS.ProcessEnv): OrphanGuard {
  if (containment() !== "proc") return nobody;
  const child = spawnWaiting({ argv: ["/bin/sh", "-c", script, "sh", ...argv], cwd: "/", env });
  // Without the shell, the work is merely unguarded.
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  return { release: () => void child.stdin.end("done\n") };
}
