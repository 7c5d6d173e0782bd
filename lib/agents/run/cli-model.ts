import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { runBounded } from "../../process/bounded.ts";
import type { BoundedEnd } from "../../process/bounded-spec.ts";
import type { ModelEnd } from "../../rules/model-end.ts";
import { oneLine } from "../../rules/wording.ts";
import type { Redactor } from "../../text/redact.ts";
import { shorten } from "../../text/shorten.ts";
import { finalTextOf, tellingLine } from "../../text/telling-line.ts";
import type { CliAdapter, CliError, CliReport } from "../adapters/adapter.ts";
import { readJsonLines } from "../adapters/json-lines.ts";
import { readMeaning } from "../adapters/limits.ts";
import { withTierArgs } from "../adapters/tier-args.ts";
import { findStartTrouble, type StartTrouble } from "../inspect/next-steps.ts";
import { modelEnvironment, removeSession, temporaryFolderEnv } from "./model-environment.ts";
import { boundsOf, endOf, isoTime, type ModelOutcome, type ModelRun, maxSaid, withWords } from "./model-run.ts";
import { readSandboxEnd, sandboxedArgv } from "./sandboxed.ts";
import { costOf } from "./usage.ts";
import { followLog, saidIn, watchWaiting } from "./watch-waiting.ts";

/** The size of a command's captured output. */
const finalTextLength = 64 * 1024;

export async function runCliModel(adapter: CliAdapter, run: ModelRun): Promise<ModelOutcome> {
  const sessionId = randomUUID();
  // The configuration's variables win.
  const env = {
    ...adapter.env,
    ...modelEnvironment(run, join(run.workFolder, "usage.json")),
    ...temporaryFolderEnv(adapter, run.workFolder),
  };
  const reader = adapter.openReader();
  const waiting = watchWaiting(reader, run);
  const lines = readJsonLines((value) => {
    if (reader.isRetry?.(value) !== true) waiting.goesOn();
    reader.event(value);
    if (run.onSaid === undefined) return;
    const said = saidIn(value);
    if (said !== null) run.onSaid(`${said}\n`);
  }, adapter.skippedLines);
  const log = adapter.errorLog?.(sessionId, env, env.HOME ?? homedir());
  const leaveLog = log === undefined ? () => {} : followLog(log, waiting.takeLog);
  const ran = await runBounded({
    argv: argvOf(adapter, run, sessionId),
    ...boundsOf(run),
    env,
    stdin: run.prompt,
    abort: waiting.abort,
    onOutput: lines.write,
    onErrorOutput: waiting.takeError,
    stopSignal: adapter.stopSignal,
  }).finally(leaveLog);
  lines.end();
  const waited = waiting.end();
  const end = readSandboxEnd(run, waited && ran.kind === "aborted" ? { ...ran, kind: "exited" } : ran);
  const { exitCode, stderrTail } = end;
  const report = reader.report({ exitCode, stderrTail, now: run.now().getTime(), waited });
  removeSession(adapter, report.sessionId ?? sessionId, env);
  const started = end.kind !== "not_started";
  const trouble = startTroubleOf(adapter, end, report);
  return {
    end: withNeed(readEnd(adapter, run, end, report), trouble),
    ...(trouble === null ? {} : { fix: trouble.fix }),
    // Cut after redaction, since half a secret is unrecognisable, and between characters.
    finalText: finalTextOf(report.finalText, run.redactor)
      .slice(-finalTextLength)
      .replace(/^[\uDC00-\uDFFF]/, ""),
    ...costOf(run.model, report),
    turns: report.turns,
    sessionId: report.sessionId,
    // An error on being stopped by the runner is not the CLI's own.
    error: end.kind !== "exited" || report.error === null ? null : renderError(report.error, run.redactor),
    durationMs: end.durationMs,
    ended: end.ended,
    stdout: end.stdout,
    stderr: end.stderr,
    note: started ? renderNote(end, report, run.redactor) || null : null,
  };
}

function argvOf(adapter: CliAdapter, run: ModelRun, sessionId: string): readonly string[] {
  const { model } = run;
  const tierArgs = run.tier === "cheap" ? (model.cheapArgs ?? adapter.cheapArgs) : [];
  const words = adapter.argv({
    repo: run.repo,
    taskDir: run.taskDir,
    sessionId,
    args: withTierArgs(model.args, tierArgs),
    sandboxed: run.sandbox !== null,
  });
  return sandboxedArgv([adapter.program, ...words], run, adapter);
}

/** Our timeout stays one, whatever the CLI said before; the exit code decides nothing. */
function readEnd(adapter: CliAdapter, run: ModelRun, end: BoundedEnd, report: CliReport): ModelEnd {
  if (end.kind !== "exited") return endOf(end, run.timeoutMs, "", report.worked);
  const { error } = report;
  const exited = { kind: "exited", exit_code: end.exitCode, signal: end.signal } as const;
  if (error === null) {
    return withWords({ ...exited, result_event: report.ended }, finalTextOf(end.stderrTail, run.redactor));
  }
  const meaning = readMeaning(error, run.model.rateLimitPatterns);
  const said = renderError(error, run.redactor);
  const reason = `${adapter.name}: ${said}`;
  switch (meaning) {
    case "rate_limit":
    case "quota":
    case "overloaded":
      return { kind: "limited", cause: meaning, reason, until: isoTime(error.resetAt) };
    case "auth":
      return { kind: "auth_failed", reason };
    case "context":
      // Exceeding the context concerns the task: the pass counts, and is judged by its work.
      return { ...exited, result_event: true, said };
    case "refused":
      return { ...exited, result_event: false, said };
    case "other":
      // So is an error with which the CLI ended its work, such as at a person's bound.
      return { ...exited, result_event: report.ended, said };
  }
}

function startTroubleOf({ name, program }: CliAdapter, end: BoundedEnd, report: CliReport): StartTrouble | null {
  const began = end.kind !== "exited" || end.exitCode === 0 || report.worked || report.ended;
  return began ? null : findStartTrouble(name, program, end.stderrTail);
}

/** The need comes first: the CLI's words may be cut. */
function withNeed(end: ModelEnd, trouble: StartTrouble | null): ModelEnd {
  if (trouble === null || end.kind !== "exited") return end;
  return { ...end, said: shorten([trouble.need, end.said ?? ""].filter((text) => text !== "").join(": "), maxSaid) };
}

function renderError(error: CliError, redactor: Redactor): string {
  const words = shorten(oneLine(redactor.redact(error.message)), maxSaid) || "an error without a message";
  const status = error.status === null || words.includes(String(error.status)) ? "" : ` (${error.status})`;
  return `${words}${status}`;
}

function renderNote(end: BoundedEnd, report: CliReport, redactor: Redactor): string {
  const { error, retries } = report;
  const exited = end.kind === "exited";
  const lastWords = tellingLine(finalTextOf(end.stderrTail, redactor));
  const said = lastWords === null ? "" : `; its last output: ${shorten(lastWords, 300)}`;
  const notes = [
    end.problem,
    exited && error !== null ? `the CLI ended with an error: ${renderError(error, redactor)}` : null,
    report.note ? shorten(redactor.redact(report.note), 300) : null,
    retries === 0 ? null : `the CLI retried a call ${retries === 1 ? "once" : `${retries} times`}`,
    exited && report.ended && error === null && report.finalText.trim() === "" ? "its final answer was empty" : null,
    exited && !report.ended && error === null ? `the CLI reported no result${said}` : null,
  ];
  return notes.filter((note) => note !== null).join("; ");
}
