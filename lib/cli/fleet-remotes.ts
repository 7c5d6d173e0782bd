import { packageVersion } from "../documents/templates/package-files.ts";
import type { Engine, EnginePlace } from "../fleet/engine/engine.ts";
import {
  agreeOnEngine,
  type EngineSettings,
  type FleetPorts,
  type FleetRemote,
  readRemote,
  resolveRemote,
} from "../fleet/read-remote.ts";
import { showUrl, withoutCredentials } from "../git/push-target.ts";
import { findSameRefs, renderSameRefs } from "../git/task-branches.ts";
import { unnamedWorker } from "../rules/claim.ts";
import type { PassRunner } from "../rules/events.ts";
import { requireTrustedRemote } from "../task/trust.ts";
import { TaskPhaseError, usageError } from "../text/errors.ts";
import { distinctFindings, errorFinding, type Finding, warningFinding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import { stoppedExit } from "./signals.ts";

/** The remotes that `--remote` names, each once; their commands may run here. */
export function listRemotes(context: CommandContext): string[] {
  const urls = [...new Set(context.flags.list("remote").map((given) => resolveRemote(given, context.cwd, context)))];
  for (const url of urls) requireTrustedRemote(withoutCredentials(url), context);
  return urls;
}

/** Like `listRemotes`, for a command that needs at least one. */
export function requireRemotes(context: CommandContext, example: string): string[] {
  const urls = listRemotes(context);
  if (urls.length > 0) return urls;
  throw usageError("TP_USAGE_REMOTE", "no remote given", { fix: `write ${example} --remote URL` });
}

export interface ReadRemotes {
  readonly remotes: readonly FleetRemote[];
  /** Why the others could not be read. */
  readonly findings: readonly Finding[];
  /** The exit of a call that could read none of them for that. */
  readonly exitName: TaskPhaseError["exitName"] | null;
}

export function fleetPorts(context: CommandContext, signal: AbortSignal): FleetPorts {
  const { env, home, cwd } = context;
  return { env, home, cwd, now: () => context.now(), signal };
}

/**
 * Fetches each remote and judges its tasks. One that cannot be read does not keep the others from being worked on. Throws
 * if a signal comes meanwhile, since what was cut off says nothing of the remotes.
 */
export async function readRemotes(
  urls: readonly string[],
  context: CommandContext,
  signal: AbortSignal,
): Promise<ReadRemotes> {
  const remotes: FleetRemote[] = [];
  const findings: Finding[] = [];
  let exitName: ReadRemotes["exitName"] = null;
  for (const url of urls) {
    try {
      const read = await readRemote({ url, config: context.flags.text("config") }, fleetPorts(context, signal));
      if (typeof read !== "string") {
        remotes.push(read);
        findings.push(...warnAlike(read));
      } else {
        const fix = "run git ls-remote to see more";
        findings.push(
          errorFinding("TP_REMOTE_UNREACHABLE", `${showUrl(url)} could not be read: ${shorten(read, 300)}`, { fix }),
        );
        exitName ??= "locked";
      }
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      findings.push(...error.findings);
      exitName ??= error.exitName;
    }
  }
  const stopped = stoppedExit(signal);
  if (stopped !== null) throw new TaskPhaseError(stopped, [errorFinding("TP_STOPPED", "stopped by a signal")]);
  return { remotes, findings: distinctFindings(findings), exitName };
}

/** Warns about tasks that no machine works on. */
function warnAlike({ tasks }: FleetRemote): Finding[] {
  const fix = "give each its own id; until then, neither dispatch nor run --claim starts a pass of them";
  return findSameRefs(tasks.flatMap(({ id }) => id ?? [])).map((same) =>
    warningFinding("TP_TASK_REF", renderSameRefs(same), { fix }),
  );
}

export function requireSettings({ remotes, findings, exitName }: ReadRemotes): EngineSettings {
  const settings = agreeOnEngine(remotes);
  if (settings === null) throw new TaskPhaseError(exitName ?? "locked", findings);
  return settings;
}

export function enginePlace(
  { urlEnv, schema, heartbeatMs }: EngineSettings,
  { env, cwd }: CommandContext,
): EnginePlace {
  return { urlEnv, schema, heartbeatMs, env, cwd };
}

/** Loads what talks to PostgreSQL, which no other command does. */
export async function connect(settings: EngineSettings, context: CommandContext): Promise<Engine> {
  const { openEngine } = await import("../fleet/engine/open-engine.ts");
  return await openEngine(enginePlace(settings, context));
}

/** A person chooses the names that others read in the journal; the machine's own name is private. */
export function makeRunner(env: NodeJS.ProcessEnv, attempt: string): PassRunner {
  return {
    worker: workerName(env),
    host: named(env.TASK_PHASE_HOST),
    attempt,
    task_phase: packageVersion(),
    node: process.version,
  };
}

/** Falls back to the name of the host. */
export function workerName(env: NodeJS.ProcessEnv): string {
  return named(env.TASK_PHASE_WORKER) ?? named(env.TASK_PHASE_HOST) ?? unnamedWorker;
}

function named(value: string | undefined): string | null {
  const text = (value ?? "").trim();
  return text === "" ? null : shorten(text, 100);
}
