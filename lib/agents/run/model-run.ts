import type { ModelConfig } from "../../documents/config/load-config.ts";
import type { BoundedEnd, BoundedSpec } from "../../process/bounded-spec.ts";
import { orderlyGraceMs } from "../../process/grace.ts";
import type { ModelEnd } from "../../rules/model-end.ts";
import type { SandboxRules } from "../../task/guard/sandbox-rules.ts";
import { shorten } from "../../text/shorten.ts";
import { tellingLine } from "../../text/telling-line.ts";
import type { CliReport } from "../adapters/adapter.ts";

export interface ModelRun
  extends Pick<BoundedSpec, "stdoutPath" | "stderrPath" | "timeoutMs" | "redactor" | "mark" | "abort" | "onStart"> {
  readonly model: ModelConfig;
  readonly prompt: string;
  readonly promptFile: string;
  readonly repo: string;
  readonly taskDir: string;
  readonly phase: string;
  readonly pass: number;
  /** The reviewer's role, with scratch copies as repo and task; absent for a pass. */
  readonly role?: string;
  /** Private, mode 0700, for this run alone. */
  readonly workFolder: string;
  /** Between TERM and KILL; missing: `orderlyGraceMs`. */
  readonly graceMs?: number;
  /** For each output; default 16 MiB. */
  readonly capBytes?: number;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The base of "in 20 s". */
  readonly now: () => Date;
  /** Receives the agent's words as they come, neither redacted nor whole. */
  readonly onSaid?: (piece: string | Uint8Array) => void;
  readonly tier: "default" | "cheap";
  readonly sandbox: SandboxRules | null;
  /** Recordings that a replay model has already played on this task. */
  readonly playedRecordings: number;
}

export interface ModelOutcome
  extends Pick<BoundedEnd, "durationMs" | "ended" | "stdout" | "stderr">,
    Pick<CliReport, "costUsd" | "tokens" | "turns" | "sessionId"> {
  readonly end: ModelEnd;
  /** The end of the model's words, redacted, at most 64 KiB. */
  readonly finalText: string;
  readonly costSource: "reported" | "price" | null;
  readonly error: string | null;
  /** For people; no verdict depends on it. */
  readonly note: string | null;
  /** Problems with files that a `command` model's program wrote. */
  readonly problems?: readonly string[];
  /** What a person does about a program that could not start. */
  readonly fix?: string;
  /** Files that became set-id in a sandbox. */
  readonly setIds?: { readonly cleared: readonly string[]; readonly left: readonly string[] };
}

export const defaultCapBytes = 16 * 1024 * 1024;

/** The bounds of a model's process: where it runs, how long, and how much of its output is kept. */
export function boundsOf(run: ModelRun) {
  return {
    wrapped: run.sandbox !== null,
    cwd: run.repo,
    timeoutMs: run.timeoutMs,
    graceMs: run.graceMs ?? orderlyGraceMs,
    stdoutPath: run.stdoutPath,
    stderrPath: run.stderrPath,
    capBytes: run.capBytes ?? defaultCapBytes,
    redactor: run.redactor,
    mark: run.mark,
    ...(run.onStart === undefined ? {} : { onStart: run.onStart }),
  };
}

/**
 * For `command` and `replay`, an exit of 0 with output is a result event. `words`: the last output, redacted, for any
 * other end. `worked`: signs of work, for a plain program any output.
 */
export function endOf(
  end: BoundedEnd,
  timeoutMs: number,
  words: string,
  worked = end.stdout.bytes + end.stderr.bytes > 0,
): ModelEnd {
  switch (end.kind) {
    case "timed_out":
      return { kind: "timed_out", timeout_ms: timeoutMs, ...(worked ? {} : { silent: true as const }) };
    case "aborted":
      return { kind: "interrupted", cause: "signal", reason: "the run was stopped" };
    case "not_started":
      return { kind: "not_started", reason: end.problem ?? "unknown reason" };
    case "exited": {
      const { exitCode: exit_code, signal } = end;
      const printed = end.stdout.bytes + end.stderr.bytes > 0;
      return withWords({ kind: "exited", exit_code, signal, result_event: exit_code === 0 && printed }, words);
    }
  }
}

type Exited = Extract<ModelEnd, { readonly kind: "exited" }>;

/** Adds the most telling line of `words` to an end without finished work. */
export function withWords(end: Exited, words: string): Exited {
  if (end.exit_code === 0 && end.result_event) return end;
  const line = tellingLine(words);
  return line === null && end.exit_code === 0 ? end : { ...end, said: line === null ? null : shorten(line, maxSaid) };
}

/** For one line in Blockers. */
export const maxSaid = 300;

/** Null also for an impossible date, which a provider in trouble may send. */
export function isoTime(milliseconds: number | null): string | null {
  const time = new Date(milliseconds ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
