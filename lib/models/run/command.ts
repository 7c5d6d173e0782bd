import { join, resolve } from "node:path";
import type { ModelConfig } from "../../config/load-config.ts";
import { runBounded } from "../../process/bounded.ts";
import type { BoundedEnd } from "../../process/bounded-spec.ts";
import type { Redactor } from "../../text/redact.ts";
import { shorten } from "../../text/shorten.ts";
import { withTierArgs } from "../adapters/tier-args.ts";
import { costOf } from "./cost.ts";
import { finalTextOf } from "./final-text.ts";
import { modelEnvironment } from "./model-environment.ts";
import { defaultCapBytes, defaultGraceMs, endOf, type ModelOutcome, type ModelRun } from "./model-run.ts";
import { readSandboxEnd, sandboxedArgv } from "./sandboxed.ts";
import { tellingLine } from "./telling-line.ts";
import { readUsage } from "./usage.ts";

/**
 * The program of a command model: a word with a slash is relative to the configuration file, any other is looked up.
 */
export function programOf(model: ModelConfig): string {
  const word = model.command?.[0] ?? "";
  return word.includes("/") ? resolve(model.folder, word) : word;
}

/** Runs any argv as a model, in the repo. Its final text is the end of its standard output. */
export async function runCommandModel(run: ModelRun): Promise<ModelOutcome> {
  const { model } = run;
  const usageFile = join(run.workFolder, "usage.json");
  const argv = [
    programOf(model),
    ...(model.command ?? []).slice(1),
    ...withTierArgs(model.args, run.tier === "cheap" ? (model.cheapArgs ?? []) : []),
    ...(model.prompt === "argument" ? [run.prompt] : []),
  ];
  const ran = await runBounded({
    argv: sandboxedArgv(argv, run, null),
    wrapped: run.sandbox !== null,
    cwd: run.repo,
    env: modelEnvironment(run, usageFile),
    stdin: model.prompt === "stdin" ? run.prompt : null,
    timeoutMs: run.timeoutMs,
    graceMs: run.graceMs ?? defaultGraceMs,
    stdoutPath: run.stdoutPath,
    stderrPath: run.stderrPath,
    capBytes: run.capBytes ?? defaultCapBytes,
    redactor: run.redactor,
    mark: run.mark,
    abort: run.abort,
    ...(run.onStart === undefined ? {} : { onStart: run.onStart }),
  });
  const end = readSandboxEnd(run, ran);
  const usage = readUsage(usageFile);
  const started = end.kind !== "not_started";
  const finalText = finalTextOf(end.stdoutTail, run.redactor);
  const words = finalTextOf(end.stderrTail, run.redactor);
  return {
    end: endOf(end, run.timeoutMs, words.trim() === "" ? finalText : words),
    finalText,
    ...costOf(run.model, usage.costUsd, usage.tokens),
    tokens: usage.tokens,
    turns: null,
    sessionId: null,
    error: null,
    durationMs: end.durationMs,
    ended: end.ended,
    stdout: end.stdout,
    stderr: end.stderr,
    note:
      [started ? end.problem : null, failureOf(end, run.redactor), usage.note]
        .filter((text) => text !== null)
        .join("; ") || null,
  };
}

/** How it failed by its own account, and its last words; null if it ended well or the runner ended it. */
function failureOf({ kind, exitCode, signal, stderrTail }: BoundedEnd, redactor: Redactor): string | null {
  if (kind !== "exited" || exitCode === 0) return null;
  const how = exitCode === null ? `it was killed by signal ${signal}` : `it ended with exit code ${exitCode}`;
  const lastWords = tellingLine(finalTextOf(stderrTail, redactor));
  return lastWords === null ? how : `${how}; its last output: ${shorten(lastWords, 300)}`;
}
