import { join } from "node:path";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { createMark } from "../../process/mark.ts";
import { putFile } from "../../store/put-file.ts";
import { shorten } from "../../text/shorten.ts";
import type { ModelOutcome, ModelRun } from "../run/model-run.ts";
import { findModel, runModel } from "../run/run-model.ts";
import type { Asking } from "./ask-program.ts";
import { makeFolderIn } from "./ask-program.ts";
import { askLogin } from "./inspect-cli.ts";
import { byHandStep, loginStep, missingStep, wantsLoginStep } from "./next-steps.ts";

export interface ProbeRequest extends Asking, Pick<ModelRun, "env" | "now" | "graceMs"> {
  readonly timeoutMs: number;
  readonly sandbox: boolean;
}

export interface ProbeReport extends ProbeJudgement {
  readonly name: string;
  readonly adapter: ModelConfig["adapter"];
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly tokens: ModelOutcome["tokens"];
}

const loginTimeoutMs = 15_000;
const prompt = "Reply with the one word: ready\nUse no tools, read no files and write none.\n";

/** Asks for one word as a pass would, at the cheap tier, in a new empty folder. Throws only for the disk. */
export async function probeModel(model: ModelConfig, request: ProbeRequest): Promise<ProbeReport> {
  const { name, adapter } = model;
  const presence = findModel(model, request.env);
  if (presence.kind === "missing") {
    const nothing = { durationMs: null, costUsd: null, tokens: { input: null, output: null }, until: null };
    return {
      name,
      adapter,
      outcome: "missing",
      detail: presence.reason,
      next: missingStep(model, presence.reason),
      ...nothing,
    };
  }
  const outcome = await callOnce(model, request);
  const { durationMs, costUsd, tokens } = outcome;
  const judged = judgeProbe(model, outcome, request.env);
  return { name, adapter, durationMs, costUsd, tokens, ...(await explain(model, judged, request)) };
}

/** Without an answer, checks the login for free: some CLIs wait forever without one. */
async function explain(model: ModelConfig, judged: ProbeJudgement, request: ProbeRequest): Promise<ProbeJudgement> {
  const { adapter } = model;
  const isSilent = judged.outcome === "hangs" || judged.outcome === "failed";
  if (!isSilent || adapter === "command" || adapter === "replay") return judged;
  const question = { env: request.env, variables: model.env, timeoutMs: loginTimeoutMs };
  const login = await askLogin(adapter, request, question);
  if (login === "yes") return judged;
  const step = loginStep(adapter, model.env, request.env);
  // Not every CLI can tell.
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

type ProbeOutcome = "answers" | "hangs" | "wants_login" | "limited" | "missing" | "failed";

export interface ProbeJudgement {
  readonly outcome: ProbeOutcome | null;
  readonly detail: string;
  /** ISO 8601, if something said so. */
  readonly until: string | null;
  readonly next: string | null;
}

const detailLength = 200;

/** Judges a tiny call. `env` is the runner's own. */
export function judgeProbe(
  model: ModelConfig,
  { end, error, finalText, note }: Pick<ModelOutcome, "end" | "error" | "finalText" | "note">,
  env: Readonly<NodeJS.ProcessEnv>,
): ProbeJudgement {
  const result = (outcome: ProbeOutcome | null, detail: string, next: string | null = null): ProbeJudgement => ({
    outcome,
    detail: shorten(detail.trim(), detailLength),
    until: end.kind === "limited" ? end.until : null,
    next,
  });
  const withNote = (detail: string): string => (note === null ? detail : `${detail}; ${note}`);
  const cli = model.adapter === "command" || model.adapter === "replay" ? null : model.adapter;
  switch (end.kind) {
    case "limited":
      return result("limited", end.reason, limitSteps[end.cause]);
    case "auth_failed":
      return result("wants_login", end.reason, wantsLoginStep(model, env));
    case "timed_out": {
      const longer = `give it more time: task-phase probe --model ${model.name} --timeout 5m; or ${byHandStep(model)}`;
      return result("hangs", withNote(`no answer within ${end.timeout_ms / 1_000} s`), longer);
    }
    case "not_started":
      return result("failed", end.reason, byHandStep(model));
    case "interrupted":
    case "withheld":
    case "no_model":
      return result(null, "stopped before it answered");
    case "exited": {
      if (error !== null) return result("failed", error, byHandStep(model));
      const how = end.exit_code === null ? `a signal (${end.signal})` : `exit code ${end.exit_code}`;
      // Output counts as an answer only if the command reports success.
      const well = end.result_event && (cli !== null || end.exit_code === 0);
      // The note has the exit and the last words.
      if (model.adapter === "command" && end.exit_code !== 0 && note !== null)
        return result("failed", note, byHandStep(model));
      if (!well) return result("failed", withNote(`it ended with ${how} and gave no result`), byHandStep(model));
      if (finalText.trim() === "") return result("failed", withNote("its answer is empty"), byHandStep(model));
      return result("answers", finalText.trim());
    }
  }
}

const limitSteps = {
  rate_limit: "wait until the limit ends, or use another model",
  quota: "check the plan or credit of this account, or use another model",
  overloaded: "the provider is overloaded: probe it again later",
} as const;
