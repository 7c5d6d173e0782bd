import { join } from "node:path";
import { readStandings } from "../../agents/rotation/choose-model.ts";
import { type SkippedModel, selectModel } from "../../agents/select/select-model.ts";
import type { LoadedConfig } from "../../documents/config/load-config.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";

export type CooldownsView = ReturnType<typeof inspectCooldowns>;
export type CooldownView = CooldownsView["cooldowns"][number];

export const noCooldowns: CooldownsView = { cooldowns: [], nextEligibleAt: null, unavailable: null, findings: [] };

/** The cooldowns of a tasks root as a reader sees them: nothing is locked and nothing is written. Times are ISO 8601, UTC. */
export function inspectCooldowns(
  place: Pick<TaskPlace, "runtime">,
  config: LoadedConfig,
  ports: Pick<PassPorts, "env" | "now" | "runtimeRoot"> & { readonly clonesRoot?: string },
) {
  const { runtimeRoot, clonesRoot } = ports;
  const own = runtimeRoot === undefined ? place.runtime : join(runtimeRoot, ".task-phase");
  const folders = [own, ...(clonesRoot === undefined ? [] : [join(clonesRoot, ".task-phase")])];
  const standings = readStandings(folders, ports);
  const selected = selectModel(config.models, "priority", null, standings.of);
  const ends = selected.kind === "none" ? selected.nextEligible : null;
  return {
    cooldowns: [...standings.cooldowns]
      .sort((left, right) => (left.model < right.model ? -1 : 1))
      .map(({ model, until, reason }) => ({ model, until: new Date(until * 1_000).toISOString(), reason })),
    /** When a model of the configuration can be called, if all that are there cool down; else null. */
    nextEligibleAt: ends === null ? null : new Date(ends).toISOString(),
    /** Why no model can be called, if waiting helps none; no full stop. */
    unavailable: selected.kind === "none" && ends === null ? renderUnavailable(selected.skipped) : null,
    findings: standings.findings,
  };
}

function renderUnavailable(skipped: readonly SkippedModel[]): string {
  if (skipped.length === 0) return "no model is configured";
  const each = skipped.map(({ name, standing: { reason } }) =>
    reason.startsWith(`${name} `) ? reason : `${name}, ${reason}`,
  );
  return `no model can be called: ${each.join("; ")}`;
}
