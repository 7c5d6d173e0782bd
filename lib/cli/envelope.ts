import { type ExitName, exitCodes } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";
import type { LoopKeys } from "../shapes/reports/run.ts";
import { emptyRun } from "../task/request.ts";

/** The one JSON object of a call. `facts` are the command's own keys; they never replace the exit and the findings. */
export function makeEnvelope(
  command: string | null,
  exitName: ExitName,
  findings: readonly Finding[],
  facts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const end = { exit_code: exitCodes[exitName], exit_name: exitName, findings };
  if (command === "run") return { ...emptyRun(exitName, findings), ...facts, ...end };
  if (command === "loop") return { ...emptyRun(exitName, findings), ...emptyLoop, ...facts, ...end };
  return { command, ...end, ...facts, ...end };
}

/** The keys that `loop --json` prints besides those of its last pass. */
const emptyLoop: Omit<LoopKeys, "next_eligible_at"> = {
  run_id: null,
  iteration: 0,
  passes: [],
  spent_usd: null,
  report: null,
};
