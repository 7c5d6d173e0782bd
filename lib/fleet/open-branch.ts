import { realpathSync, rmSync } from "node:fs";
import type { PassPorts } from "../anchor/ports.ts";
import type { FleetConfig } from "../config/fleet-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import { openObjects } from "../git/objects.ts";
import type { GitPlace } from "../git/place.ts";
import { showUrl } from "../git/push-target.ts";
import { taskRefOf } from "../git/task-branches.ts";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { configError } from "../report/errors.ts";
import { shorten } from "../text/shorten.ts";
import { type BranchLayout, type LayoutRequest, readLayout } from "../upkeep/branch-layout.ts";
import type { ClaimContext } from "./claim-context.ts";
import { makeClone, type WorkClone } from "./clone.ts";
import { emptyRemote } from "./empty-remote.ts";
import { findTaskFolder } from "./find-task.ts";
import type { Mirror } from "./mirror.ts";

/** The branch of a task, checked out. */
export interface OpenBranch {
  readonly clone: WorkClone;
  readonly taskDir: string;
  readonly ref: string;
  /** What the branch is in the remote; null: it is not there yet. */
  readonly tip: string | null;
  /** What is checked out: the tip, or where the branch will begin. */
  readonly base: string;
  /** What the branch itself says. */
  readonly fleet: FleetConfig | null;
  readonly layout: BranchLayout;
}

/**
 * Checks out the branch of the task, or else the base branch, where it will begin. Throws a usage error if there is no
 * such task, and a config error for what a claimed pass cannot do.
 */
export async function openBranch(context: ClaimContext, mirror: Mirror): Promise<OpenBranch> {
  const { request, place, ports } = context;
  const { env, home, cwd, signal } = ports;
  const { root } = request;
  if (mirror.isEmpty) throw emptyRemote(request.url);
  const at = { shown: showUrl(request.url), root, configFlag: request.pass.config };
  const layout = await readMirrorLayout(mirror.place, at, ports);
  request.onNotify?.(layout.config.notify);
  request.onBase?.(layout.config);
  const ref = taskRefOf(request.task, layout.pattern);
  const tip = mirror.commitOf(ref);
  const base = tip ?? layout.base?.commit;
  if (base === undefined) throw nowhere(context);
  const clone = await makeClone({ folder: place.clone, mirror, url: request.url, ref, commit: base, env, signal });
  const taskDir = await findTaskFolder(clone.git, layout, request.task, env);
  const { fleet, notify } = loadConfig({ configFlag: request.pass.config, env, home, cwd, taskDir });
  request.onNotify?.(notify);
  refuseCloneKeys(fleet);
  return { clone, taskDir, ref, tip, base, fleet, layout };
}

function refuseCloneKeys(fleet: FleetConfig | null): void {
  if ((fleet?.clone.filter ?? null) !== null) {
    throw configError("TP_CLONE_FILTER", "fleet.clone.filter is not supported by `run --claim`", {
      fix: "remove it: a pass reads the whole repository",
    });
  }
  // It would have to be known before the file that says it is fetched.
  if ((fleet?.clone.cache ?? null) !== null) {
    throw configError(
      "TP_CLONE_CACHE",
      "fleet.clone.cache is not supported: it is read after the repository is fetched",
      {
        fix: "remove it, and set XDG_CACHE_HOME where the passes run",
      },
    );
  }
}

function nowhere({ request }: ClaimContext) {
  return emptyRemote(request.url, `there is no branch for ${shorten(request.task)} to start from`);
}

/** Where the tasks of a mirror are and what holds for them, as its base branch says it. Throws as `readLayout`. */
async function readMirrorLayout(
  place: GitPlace,
  at: Pick<LayoutRequest, "root" | "configFlag" | "shown">,
  ports: Pick<PassPorts, "env" | "home" | "cwd" | "now">,
): Promise<BranchLayout> {
  const temporary = realpathSync(makeTemporaryFolder("branches"));
  const objects = await openObjects(place, ports.env);
  try {
    return await readLayout({ place, ...at, temporary }, objects.read, ports);
  } finally {
    objects.close();
    rmSync(temporary, { recursive: true, force: true });
  }
}
