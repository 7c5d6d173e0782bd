import type { FleetConfig } from "../config/fleet-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import { openNetwork } from "../git/network.ts";
import { showUrl } from "../git/push-target.ts";
import { readSettings } from "../git/settings.ts";
import { readRemoteHead } from "../git/swap-ref.ts";
import { taskRefOf } from "../git/task-ref.ts";
import { configError, usageError } from "../report/errors.ts";
import { shorten } from "../text/shorten.ts";
import { type ClaimContext, unreachable } from "./claim-context.ts";
import { makeClone, type WorkClone } from "./clone.ts";
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
  readonly fleet: FleetConfig | null;
}

/**
 * Checks out the branch of the task, or else where it begins: `fleet.base`, or the default branch of the remote. The
 * configuration that names branch and base is itself in the repository, so it is looked at first where they usually
 * are. Throws a usage error if there is no such task, and a config error for what a claimed pass cannot do.
 */
export async function openBranch(context: ClaimContext, mirror: Mirror): Promise<OpenBranch> {
  const usual = taskRefOf(context.request.task);
  const head = mirror.commitOf(usual) === null ? await findHead(context, mirror) : null;
  const first = await openAt(context, mirror, usual, head);
  const { fleet } = first;
  if ((fleet?.clone.filter ?? null) !== null) {
    throw configError("TP_CLONE_FILTER", "fleet.clone.filter is not supported by `run --claim`", {
      fix: "remove it: a pass reads the whole repository",
    });
  }
  const ref = fleet === null ? usual : taskRefOf(context.request.task, fleet.ref);
  const named = namedBase(mirror, fleet);
  const isThere = mirror.commitOf(ref) !== null;
  if (ref === usual && (isThere || named === null || named === first.base)) return first;
  return await openAt(context, mirror, ref, named ?? head ?? (await findHead(context, mirror)));
}

async function openAt(
  { request, place, ports }: ClaimContext,
  mirror: Mirror,
  ref: string,
  otherwise: string | null,
): Promise<OpenBranch> {
  const { env, home, cwd, signal } = ports;
  const tip = mirror.commitOf(ref);
  const base = tip ?? otherwise ?? "";
  const clone = await makeClone({ folder: place.clone, mirror, url: request.url, ref, commit: base, env, signal });
  const taskDir = await findTaskFolder(clone.git, request.task, env);
  const { fleet } = loadConfig({ configFlag: request.pass.config, env, home, cwd, taskDir });
  return { clone, taskDir, ref, tip, base, fleet };
}

/** The newest commit of the branch that tasks begin at and are merged into. */
export async function findBase(context: ClaimContext, mirror: Mirror, fleet: FleetConfig | null): Promise<string> {
  return namedBase(mirror, fleet) ?? (await findHead(context, mirror));
}

function namedBase(mirror: Mirror, fleet: FleetConfig | null): string | null {
  const base = fleet?.base ?? null;
  const commit = base === null ? null : mirror.commitOf(`refs/heads/${base}`);
  if (base === null || commit !== null) return commit;
  throw configError("TP_FLEET_BASE", `fleet.base names no branch of the remote: ${shorten(base, 100)}`, {
    fix: "push that branch, or correct fleet.base",
  });
}

/** The newest commit of the remote's default branch. */
async function findHead({ request, place, ports }: ClaimContext, mirror: Mirror): Promise<string> {
  const settings = await readSettings(mirror.place, ports.env);
  const network = openNetwork(mirror.place, settings, place.scratch, ports.env, ports.signal, request.url);
  try {
    const head = await readRemoteHead(network, request.url);
    if (head.kind === "unknown") throw unreachable(request, head.why);
    const commit = head.ref === null ? null : mirror.commitOf(head.ref);
    if (commit !== null) return commit;
    throw usageError("TP_REMOTE_EMPTY", `there is no branch for ${shorten(request.task)} to begin at`, {
      file: showUrl(request.url),
      fix: "push a branch with the task folder, and make it the default branch of the remote",
    });
  } finally {
    network.close();
  }
}
