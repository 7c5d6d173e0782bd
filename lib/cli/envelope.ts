import { type ExitName, exitCodes } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";
import type { LoopKeys, RunReport } from "../shapes/reports/run.ts";

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

/** `run --json` on failure: all its keys; null is what is not known or did not happen. */
function emptyRun(exitName: ExitName, findings: readonly Finding[]): RunReport {
  return {
    task: null,
    pass: null,
    from: null,
    proposed: null,
    to: null,
    verdict: null,
    reason: findings.find((finding) => finding.severity === "error")?.message ?? null,
    exit_code: exitCodes[exitName],
    exit_name: exitName,
    model: null,
    duration_ms: null,
    cost_usd: null,
    tokens: { input: null, output: null },
    progress: [],
    validators: [],
    tickets: [],
    overridden: [],
    findings,
    evidence: { path: null, url: null, pushed: null },
    next_eligible_at: null,
    stages: [],
  };
}
