import { existsSync } from "node:fs";
import type { FleetConfig } from "../documents/config/fleet-schema.ts";
import type { GitPlace } from "../git/place.ts";
import { requireRemote, showUrl, withoutCredentials } from "../git/push-target.ts";
import { type InspectedBranches, inspectBranches } from "../queue/views/inspect-branches.ts";
import { cacheHome } from "../store/state-home.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { configError, type TaskPhaseError, usageError } from "../text/errors.ts";
import { laterBy } from "../text/moment.ts";
import { sha256 } from "../text/sha256.ts";
import { waitUntil } from "./claim-context.ts";
import { claimPlace } from "./claim-place.ts";
import { fetchMirror, type Mirror } from "./mirror.ts";

export type FleetPorts = Pick<PassPorts, "env" | "home" | "cwd" | "now" | "signal">;

/** The tasks of a remote, as its branches had them a moment ago. */
export interface FleetRemote extends InspectedBranches {
  readonly url: string;
  readonly repo: string;
  readonly place: GitPlace;
}

/** How long a remote that does not answer is tried. */
const patienceMs = 20_000;

/** How the engine names a remote: the same for every login, and without credentials. */
export function repoOf(url: string): string {
  return sha256(withoutCredentials(url));
}

/**
 * Fetches a remote and judges its tasks. `url`: as `requireRemote` returns it. A string says why it could not be read.
 * Throws TP_REMOTE_EMPTY, and as `inspectBranches`.
 */
export async function readRemote(
  { url, config }: { readonly url: string; readonly config: string | null },
  ports: FleetPorts,
): Promise<FleetRemote | string> {
  const mirror = await fetchRemote(url, ports);
  if (typeof mirror === "string") return mirror;
  if (mirror.isEmpty) throw emptyRemote(url);
  const { place } = mirror;
  const found = await inspectBranches({ place, shown: showUrl(url), root: null, configFlag: config }, ports);
  return { ...found, url, repo: repoOf(url), place };
}

async function fetchRemote(url: string, ports: FleetPorts): Promise<Mirror | string> {
  const { env, home, signal } = ports;
  const until = laterBy(patienceMs, ports.now());
  const wait = waitUntil(ports);
  // No task has this name, since no part of a branch begins with a dot.
  const place = claimPlace(cacheHome(env, home), withoutCredentials(url), ".dispatch");
  return await fetchMirror({ ...place, url, env, signal, wait: (ms) => wait(ms, until) });
}

/** No pass can start from a remote without a branch that has the tasks. */
export function emptyRemote(url: string, message = "the remote has no branch yet"): TaskPhaseError {
  const fix = "push a branch with the task folder, and make it the default branch of the remote";
  return usageError("TP_REMOTE_EMPTY", message, { file: showUrl(url), fix });
}

/**
 * Like `requireRemote`, but a path that this machine fetched before is a remote that does not answer, such as a lost
 * mount.
 */
export function resolveRemote(given: string, cwd: string, { env, home }: Pick<PassPorts, "env" | "home">): string {
  const isKnown = (url: string) => existsSync(claimPlace(cacheHome(env, home), withoutCredentials(url), "").mirror);
  return requireRemote(given, cwd, isKnown);
}

/** Where the engine is and how long a lease holds, as task-phase.yaml says it. */
export interface EngineSettings {
  readonly urlEnv: string;
  readonly schema: string;
  readonly heartbeatMs: number;
  readonly marginMs: number;
}

/** For a worker to which no task-phase.yaml says anything else: the names of the documentation. */
export const usualSettings: EngineSettings = {
  urlEnv: "TASK_PHASE_ENGINE_URL",
  schema: "task_phase",
  heartbeatMs: 30_000,
  marginMs: 10_000,
};

/** Null if it names no engine. */
export function settingsOf(fleet: FleetConfig | null): EngineSettings | null {
  if (fleet === null || fleet.engine === null) return null;
  return { ...fleet.engine, ...fleet.lease };
}

/** The one engine of these remotes; of several leases the longest. Throws a config error if one names none or another. */
export function agreeOnEngine(
  remotes: readonly { readonly url: string; readonly config: { readonly fleet: FleetConfig | null } }[],
): EngineSettings | null {
  let agreed: EngineSettings | null = null;
  for (const { url, config } of remotes) {
    const own = settingsOf(config.fleet);
    if (own === null) {
      throw configError("TP_FLEET_ENGINE", `task-phase.yaml of ${showUrl(url)} names no engine`, {
        fix: "add to its default branch: fleet: { engine: { url_env: TASK_PHASE_ENGINE_URL } }",
      });
    }
    if (agreed !== null && (agreed.urlEnv !== own.urlEnv || agreed.schema !== own.schema)) {
      const [one, other] = [agreed, own].map(({ urlEnv, schema }) => `${schema} at ${urlEnv}`);
      const message = `${showUrl(url)} names a different engine than the remotes before it: ${other}, not ${one}`;
      throw configError("TP_FLEET_ENGINE", message, { fix: "call the command once for each engine" });
    }
    agreed = agreed === null || own.heartbeatMs > agreed.heartbeatMs ? own : agreed;
  }
  return agreed;
}
