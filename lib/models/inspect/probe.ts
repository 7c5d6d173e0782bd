import { join } from "node:path";
import type { ModelConfig } from "../../config/load-config.ts";
import { createMark } from "../../process/mark.ts";
import { putFile } from "../../store/put-file.ts";
import type { Redactor } from "../../text/redact.ts";
import type { ModelOutcome } from "../run/model-run.ts";
import { findModel, runModel } from "../run/run-model.ts";
import { askLogin } from "./inspect-cli.ts";
import { loginStep, missingStep } from "./next-steps.ts";
import { judgeProbe, type ProbeJudgement } from "./probe-outcome.ts";
import { makeFolderIn } from "./scratch.ts";

export interface ProbeRequest {
  /** Private to the call, and removed by it. */
  readonly scratch: string;
  /** The runner's own. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly now: () => Date;
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  /** Between TERM and KILL; that of a pass if it is not given. */
  readonly graceMs?: number;
  readonly abort: AbortSignal | null;
  readonly sandbox: boolean;
}

export interface ProbeReport extends ProbeJudgement {
  readonly name: string;
  readonly adapter: ModelConfig["adapter"];
  /** Null if nothing was started. */
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly tokens: ModelOutcome["tokens"];
}

const loginTimeoutMs = 15_000;
const prompt = "Reply with the one word: ready\nUse no tools, read no files and write none.\n";

/**
 * Asks the model for one word, the way a pass would call it, at its cheap tier, with a new empty folder as repo and as
 * task folder. How it ends is a fact in the report; thrown is only an error of the disk.
 */
export async function probeModel(model: ModelConfig, request: ProbeRequest): Promise<ProbeReport> {
  const { name, adapter } = model;
  const presence = findModel(model, request.env);
  if (presence.kind === "missing") {
    const nothing = { durationMs: null, costUsd: null, tokens: { input: null, output: null }, until: null };
    return { name, adapter, outcome: "missing", detail: presence.reason, next: missingStep(model), ...nothing };
  }
  const outcome = await callOnce(model, request);
  const { durationMs, costUsd, tokens } = outcome;
  const judged = judgeProbe(model, outcome, request.env);
  return { name, adapter, durationMs, costUsd, tokens, ...(await explain(model, judged, request)) };
}

/** A CLI that gave no answer is asked, for free, whether someone is logged in: some wait forever without a login. */
async function explain(model: ModelConfig, judged: ProbeJudgement, request: ProbeRequest): Promise<ProbeJudgement> {
  const { adapter } = model;
  const isSilent = judged.outcome === "hangs" || judged.outcome === "failed";
  if (!isSilent || adapter === "command" || adapter === "replay") return judged;
  const question = { env: request.env, variables: model.env, timeoutMs: loginTimeoutMs };
  const login = await askLogin(adapter, request, question);
  if (login === "yes") return judged;
  const step = loginStep(adapter, model.env, request.env);
  // Not every CLI can say it.
  if (login === "unknown") return { ...judged, next: `${judged.next}; if not logged in: ${step}` };
  return { ...judged, detail: `${judged.detail}; ${adapter} reports that nobody is logged in`, next: step };
}

async function callOnce(model: ModelConfig, request: ProbeRequest): Promise<ModelOutcome> {
  const folder = makeFolderIn(request.scratch, "probe-");
  const repo = makeFolderIn(folder, "empty-");
  const workFolder = makeFolderIn(folder, "work-");
  const promptFile = join(workFolder, "prompt.md");
  putFile(promptFile, prompt, { mode: 0o600 });
  return runModel({
    model,
    prompt,
    promptFile,
    repo,
    taskDir: repo,
    phase: "probe",
    pass: 0,
    workFolder,
    stdoutPath: join(folder, "stdout.log"),
    stderrPath: join(folder, "stderr.log"),
    timeoutMs: request.timeoutMs,
    ...(request.graceMs === undefined ? {} : { graceMs: request.graceMs }),
    // Nobody reads them afterwards.
    capBytes: 64 * 1024,
    env: request.env,
    now: request.now,
    redactor: request.redactor,
    mark: createMark(workFolder),
    abort: request.abort,
    tier: "cheap",
    sandbox: request.sandbox ? { writable: [repo], readOnly: [] } : null,
    playedRecordings: 0,
  });
}
