import { join } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import { findBwrap, sandboxArgv, temporaryFolder } from "../process/bwrap.ts";
import { makeFolder } from "../store/folder.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import type { TaskContract } from "../task/load-contract.ts";

export interface CellSandbox {
  readonly wrap: (argv: readonly string[], cwd: string, writable: readonly string[]) => readonly string[];
  /** Caches go to the temporary folder, since the user's own cannot be written to inside. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The sandbox of the checks in a clean copy: they write to the copy and to a temporary folder of their own, and see
 * nothing of the runner's state but the copy. Null without `sandbox: bwrap`.
 */
export function cellSandbox(
  { config }: TaskContract,
  workFolder: string,
  ports: Pick<PassPorts, "env" | "home">,
): CellSandbox | null {
  if (config.sandbox !== "bwrap") return null;
  const home = stateHome(ports.env, ports.home);
  openPrivateFolder(home);
  const temporary = join(workFolder, "cell-tmp");
  return {
    env: {
      XDG_CACHE_HOME: `${temporaryFolder}/.cache`,
      GOCACHE: `${temporaryFolder}/.cache/go-build`,
      npm_config_cache: `${temporaryFolder}/.cache/npm`,
    },
    wrap(argv, cwd, writable) {
      makeFolder(temporary, 0o700);
      return sandboxArgv({
        bwrap: findBwrap(ports.env.PATH ?? "", writable) ?? "bwrap",
        mounts: [{ kind: "empty", path: home }, ...writable.map((path) => ({ kind: "writable", path }) as const)],
        temporary,
        cwd,
        argv,
      });
    },
  };
}
