import { dirname, join, relative } from "node:path";
import type { Anchor } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import type { Tamper } from "../machine/facts.ts";
import { passMachineFault } from "../store/error-code.ts";
import { openSnapshotStore } from "../store/snapshot.ts";
import { stateHome } from "../store/state-home.ts";
import { findRunnerPaths, type Installation } from "./runner-place.ts";

/** The runner's own files, if they lie where a pass can write. */
export interface RunnerGuard {
  /** Restores what differs from the beginning of the pass; null if nothing does. `keepIn`: what was there. */
  restore(by: Tamper["by"], keepIn: string): Tamper | null;
}

/**
 * Notes and copies the runner's own files before anything of the repo runs. Null if the runner is installed elsewhere,
 * which costs one comparison of paths. A pass that was cut off is recovered without this: the program that recovers it
 * was read from these files already, and a person may have installed another version since.
 */
export function guardRunner(
  anchor: Anchor,
  { tasksRoot }: TaskPlace,
  repo: string,
  ports: Pick<PassPorts, "env" | "home">,
  installation?: Installation,
): RunnerGuard | null {
  const paths = findRunnerPaths(repo, tasksRoot, installation);
  if (paths.length === 0) return null;
  const pool = join(stateHome(ports.env, ports.home), "copies");
  const store = openSnapshotStore(join(anchor.folder, "runner"), { pool });
  // Files unchanged since an earlier pass of this process are not read again.
  const options = { skip: () => false, remembers: () => true };
  const manifest = store.record(paths, options);
  store.prune(Object.values(manifest.entries));
  return {
    restore(by, keepIn) {
      const changes = store.compare(manifest, options);
      const [first] = changes;
      if (first === undefined) return null;
      let restored = true;
      for (const change of changes) {
        try {
          store.restore(change, join(keepIn, relative(dirname(repo), change.path)));
        } catch (error) {
          passMachineFault(error);
          restored = false;
        }
      }
      const more = changes.length === 1 ? "" : `, and ${changes.length - 1} more of its files`;
      const detail = `the runner itself is installed there${more}; to work on it, install it outside the repo`;
      return { path: relative(repo, first.path), change: first.change, guard: "runner_file", by, detail, restored };
    },
  };
}
