import type { TaskEvent } from "./events.ts";
import { addCharge, noSpend, type Spend } from "./spend.ts";
import type { VerdictEvent } from "./verdict-event.ts";

/** What one call of the loop did to one task, by its journal. */
export interface RunUsage {
  /** The verdicts on the passes that this call started, in order. */
  readonly verdicts: readonly VerdictEvent[];
  /** Of those passes, and of the reviewers that were asked meanwhile. */
  readonly spend: Spend;
}

/** `run` is the id of the call, `began` when it began; ISO 8601, UTC. */
export function usageOfRun(events: readonly TaskEvent[], run: string, began: string): RunUsage {
  const started = new Set(
    events.flatMap((event) => (event.type === "pass_started" && event.run === run ? event.pass : [])),
  );
  const verdicts = events.filter((event) => event.type === "verdict").filter(({ pass }) => started.has(pass));
  const reviews = events.filter((event) => event.type === "reviewed").filter(({ at }) => at >= began);
  const spend = [...verdicts, ...reviews].reduce(
    (sum, { model, cost_usd, end, tokens, duration_ms }) =>
      addCharge(sum, { model, costUsd: cost_usd, estimateUsd: null, end, tokens, durationMs: duration_ms }),
    noSpend,
  );
  return { verdicts, spend };
}

export type SpendTotal = Pick<Spend, "knownUsd" | "unknownPasses" | "timeMs">;

/** Several tasks together; what is not known stays unknown. */
export function sumSpend(spends: readonly SpendTotal[]): SpendTotal {
  const known = spends.flatMap(({ knownUsd }) => knownUsd ?? []);
  return {
    knownUsd: known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0),
    unknownPasses: spends.reduce((sum, { unknownPasses }) => sum + unknownPasses, 0),
    timeMs: spends.reduce((sum, { timeMs }) => sum + timeMs, 0),
  };
}
