import { join, resolve } from "node:path";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { runBounded } from "../../process/bounded.ts";
import type { BoundedEnd } from "../../process/bounded-spec.ts";
import type { ModelEnd } from "../../rules/model-end.ts";
import { oneLine } from "../../rules/wording.ts";
import type { Redactor } from "../../text/redact.ts";
import { shorten } from "../../text/shorten.ts";
import { finalTextOf, tellingLine } from "../../text/telling-line.ts";
import { withTierArgs } from "../adapters/tier-args.ts";
import { readWait } from "../times/reset-time.ts";
import { modelEnvironment } from "./model-environment.ts";
import { boundsOf, endOf, isoTime, type ModelOutcome, type ModelRun, maxSaid } from "./model-run.ts";
import { type ResultFile, readResultFile } from "./result-file.ts";
import { readSandboxEnd, sandboxedArgv } from "./sandboxed.ts";
import { costOf, readUsage } from "./usage.ts";

/** A word with a slash is relative to the configuration file; others are on PATH. */
export function programOf(model: ModelConfig): string {
  const word = model.command?.[0] ?? "";
  return word.includes("/") ? resolve(model.folder, word) : word;
}

/** Runs any argv in the repo. The final text is the end of its standard output. */
export async function runCommandModel(run: ModelRun): Promise<ModelOutcome> {
  const { model } = run;
  const usageFile = join(run.workFolder, "usage.json");
  const resultFile = join(run.workFolder, "result.json");
  const argv = [
    programOf(model),
    ...(model.command ?? []).slice(1),
    ...withTierArgs(model.args, run.tier === "cheap" ? (model.cheapArgs ?? []) : []),
    ...(model.prompt === "argument" ? [run.prompt] : []),
  ];
  const ran = await runBounded({
    argv: sandboxedArgv(argv, run, null),
    ...boundsOf(run),
    env: { ...modelEnvironment(run, usageFile), TASK_PHASE_RESULT_FILE: resultFile },
    stdin: model.prompt === "stdin" ? run.prompt : null,
    abort: run.abort,
    ...(run.onSaid === undefined ? {} : { onOutput: run.onSaid, onErrorOutput: run.onSaid }),
  });
  const end = readSandboxEnd(run, ran);
  const usage = readUsage(usageFile);
  const result = readResultFile(resultFile, run.now().getTime());
  const problems = [usage.note, result.problem].filter((problem) => problem !== null);
  const started = end.kind !== "not_started";
  const finalText = finalTextOf(end.stdoutTail, run.redactor);
  const words = finalTextOf(end.stderrTail, run.redactor);
  return {
    end: limitOf(run, end, result, words) ?? endOf(end, run.timeoutMs, words.trim() === "" ? finalText : words),
    finalText,
    ...costOf(run.model, usage),
    turns: null,
    sessionId: null,
    error: null,
    durationMs: end.durationMs,
    ended: end.ended,
    stdout: end.stdout,
    stderr: end.stderr,
    note:
      [started ? end.problem : null, failureOf(end, run.redactor), ...problems]
        .filter((text) => text !== null)
        .join("; ") || null,
    ...(problems.length === 0 ? {} : { problems }),
  };
}

/** Limits count only here: earlier lines may be from the work, or from a retried call. */
const lastLines = 20;

/** From the result file, or by `rate_limit_patterns` in the last lines of standard error after a failed exit. */
function limitOf(
  { model, redactor, now }: ModelRun,
  end: BoundedEnd,
  { limit }: ResultFile,
  words: string,
): ModelEnd | null {
  const limited = (said: string, untilMs: number | null): ModelEnd => ({
    kind: "limited",
    cause: "rate_limit",
    reason: `${model.name}: ${shorten(oneLine(redactor.redact(said)), maxSaid)}`,
    until: isoTime(untilMs),
  });
  if (limit !== null && (end.kind === "exited" || end.kind === "timed_out"))
    return limited(limit.reason?.trim() || "it reports a limit", limit.untilMs);
  if (end.kind !== "exited" || end.exitCode === 0) return null;
  const last = words.trim().split("\n").slice(-lastLines);
  // Not test(), which would remember its place in a pattern with `g`.
  const line = last.findLast((one) => model.rateLimitPatterns.some((pattern) => one.search(pattern) >= 0));
  return line === undefined
    ? null
    : limited(line, readWait(line, now().getTime()) ?? readWait(last.join("\n"), now().getTime()));
}

function failureOf({ kind, exitCode, signal, stderrTail }: BoundedEnd, redactor: Redactor): string | null {
  if (kind !== "exited" || exitCode === 0) return null;
  const how = exitCode === null ? `it was killed by signal ${signal}` : `it ended with exit code ${exitCode}`;
  const lastWords = tellingLine(finalTextOf(stderrTail, redactor));
  return lastWords === null ? how : `${how}; its last output: ${shorten(lastWords, 300)}`;
}
