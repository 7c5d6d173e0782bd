import { type ExitName, exitCodes } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";

/** The object that `run --json` prints, on success and failure; null where a thing is not known or did not happen. */
export interface RunJson {
  readonly task: string | null;
  readonly pass: number | null;
  readonly from: string | null;
  readonly proposed: string | null;
  readonly to: string | null;
  readonly verdict: string | null;
  readonly reason: string | null;
  readonly exit_code: number;
  readonly exit_name: ExitName;
  readonly model: string | null;
  readonly duration_ms: number | null;
  readonly cost_usd: number | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly progress: readonly string[];
  readonly validators: readonly unknown[];
  readonly tickets: readonly unknown[];
  readonly overridden: readonly string[];
  readonly findings: readonly Finding[];
  readonly evidence: {
    readonly path: string | null;
    readonly url: string | null;
    /** False: the address shows it only once it is pushed. */
    readonly pushed: boolean | null;
  };
  readonly next_eligible_at: string | null;
  readonly stages: readonly unknown[];
}

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

/** What `loop --json` prints beside the keys of its last pass. */
const emptyLoop = { run_id: null, iteration: 0, passes: [], spent_usd: null };

function emptyRun(exitName: ExitName, findings: readonly Finding[]): RunJson {
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
