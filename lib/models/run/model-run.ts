import type { ModelConfig } from "../../config/load-config.ts";
import type { ModelEnd } from "../../machine/model-end.ts";
import type { CapturedStream } from "../../process/bounded.ts";
import type { BoundedEnd } from "../../process/bounded-spec.ts";
import type { ProcessMark } from "../../process/mark.ts";
import type { ProcessIdentity } from "../../process/survivors.ts";
import type { Redactor } from "../../text/redact.ts";
import { shorten } from "../../text/shorten.ts";
import { tellingLine } from "./telling-line.ts";

export type Tier = "default" | "cheap";

/** The mounts of a sandbox; everything else is read-only. Absolute paths that exist. */
export interface SandboxRules {
  readonly writable: readonly string[];
  /** Within what is writable. */
  readonly readOnly: readonly string[];
  /** Folders that look empty, and files that nobody can read. */
  readonly hidden?: readonly string[];
}

export interface ModelRun {
  readonly model: ModelConfig;
  readonly prompt: string;
  /** Holds the same prompt. */
  readonly promptFile: string;
  readonly repo: string;
  readonly taskDir: string;
  readonly phase: string;
  readonly pass: number;
  /** The model is a reviewer in this role, and repo and task are scratch copies; missing: it does the pass. */
  readonly role?: string;
  /** Private, mode 0700, for this run alone. */
  readonly workFolder: string;
  readonly stdoutPath: string;
  readonly stderrPath: string;
  readonly timeoutMs: number;
  /** Between TERM and KILL; 5 s. */
  readonly graceMs?: number;
  /** For each output; 16 MiB. */
  readonly capBytes?: number;
  /** The runner's own environment. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The clock: what "in 20 s" is counted from. */
  readonly now: () => Date;
  readonly redactor: Redactor;
  readonly mark: ProcessMark;
  readonly abort: AbortSignal | null;
  readonly onStart?: (head: ProcessIdentity) => void;
  /** Given what the agent says as it comes, neither redacted nor whole. */
  readonly onSaid?: (piece: string | Uint8Array) => void;
  readonly tier: Tier;
  /** The paths that the model may and may not write in its sandbox; null: there is no sandbox. */
  readonly sandbox: SandboxRules | null;
  /** How many recordings a replay model has played on this task. */
  readonly playedRecordings: number;
}

export interface ModelOutcome {
  readonly end: ModelEnd;
  /** The end of what the model said, redacted, at most 64 KiB. */
  readonly finalText: string;
  /** Null if it is not known; never 0 for that. */
  readonly costUsd: number | null;
  /** Where the cost comes from; null if it is not known. */
  readonly costSource: "reported" | "price" | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  /** Model calls, as the CLI counts them; null if it does not. */
  readonly turns: number | null;
  readonly sessionId: string | null;
  /** The error with which an agent CLI ended, redacted; null if it ended without one. */
  readonly error: string | null;
  readonly durationMs: number;
  readonly ended: readonly ProcessIdentity[];
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  /** A note for people that no verdict depends on; null if there is none. */
  readonly note: string | null;
  /** What was wrong with the files that a `command` model's program wrote; missing or empty if nothing was. */
  readonly problems?: readonly string[];
  /** What a person does about a program that could not start; missing if nothing is known. */
  readonly fix?: string;
  /** Files to which it gave the rights of their owner or group, in a sandbox; missing if it did not. */
  readonly setIds?: { readonly cleared: readonly string[]; readonly left: readonly string[] };
}

export const defaultCapBytes = 16 * 1024 * 1024;

/**
 * For `command` and `replay`, an exit of 0 with any output is a result event. `words` is what the program printed last,
 * redacted, for an end that is not one. `worked`: there were signs of work, which of a plain program any output is.
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

/** An end that is none of a work done says why, by the line of `words` that tells most. */
export function withWords(end: Exited, words: string): Exited {
  if (end.exit_code === 0 && end.result_event) return end;
  const line = tellingLine(words);
  return line === null && end.exit_code === 0 ? end : { ...end, said: line === null ? null : shorten(line, maxSaid) };
}

/** Characters of a program's own words, for one line in Blockers. */
export const maxSaid = 300;
