import type { FleetConfig } from "../config/fleet-schema.ts";
import { showUrl } from "../git/push-target.ts";
import { configError } from "../report/errors.ts";

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

interface Configured {
  readonly url: string;
  readonly config: { readonly fleet: FleetConfig | null };
}

/** Null if it names no engine. */
export function settingsOf(fleet: FleetConfig | null): EngineSettings | null {
  if (fleet === null || fleet.engine === null) return null;
  return { ...fleet.engine, ...fleet.lease };
}

/** The one engine of these remotes; of several leases the longest. Throws a config error if one names none or another. */
export function agreeOnEngine(remotes: readonly Configured[]): EngineSettings | null {
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
      throw configError(
        "TP_FLEET_ENGINE",
        `${showUrl(url)} names a different engine than the remotes before it: ${other}, not ${one}`,
        {
          fix: "call the command once for each engine",
        },
      );
    }
    agreed = agreed === null || own.heartbeatMs > agreed.heartbeatMs ? own : agreed;
  }
  return agreed;
}
