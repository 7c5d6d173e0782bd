import { join } from "node:path";
import { asObject, objectAt } from "../../text/json-object.ts";
import type { CliAdapter, CliError, CliExit, CliReader } from "./adapter.ts";
import { amountOf, idOf, textOf } from "./json-lines.ts";
import { readWait } from "./limits.ts";
import { readQwenLog } from "./qwen-log.ts";
import { namesFlag } from "./tier-args.ts";

/**
 * Qwen Code, seen as 0.24.4. Its events are like claude's; a call that fails is tried again, for hours if the provider
 * says so, and only its debug log tells of it.
 */
export const qwen: CliAdapter = {
  name: "qwen",
  program: "qwen",
  npmPackage: "@qwen-code/qwen-code",
  knownEnv: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "QWEN_HOME", "QWEN_RUNTIME_DIR"],
  env: { QWEN_CODE_SUPPRESS_YOLO_WARNING: "1", QWEN_DEBUG_LOG_FILE: "1" },
  argv: ({ taskDir, sessionId, args }) => [
    ...["--output-format", "stream-json", "--chat-recording=false", `--session-id=${sessionId}`],
    ...(namesFlag(args, ["--approval-mode", "-y", "--yolo"]) ? [] : ["--approval-mode", "yolo"]),
    // It takes any number of words: with `=` it takes one, whatever follows.
    `--add-dir=${taskDir}`,
    ...args,
  ],
  // Any provider's models may be behind it.
  cheapArgs: [],
  reportsCost: false,
  stopSignal: "SIGTERM",
  openReader: openQwenReader,
  limitPatterns: [],
  login: null,
  errorLog,
  sessionPaths: (sessionId, env, home) => [errorLog(sessionId, env, home)],
  ownPaths: (env, home) => [ownFolder(env, home), ...(env.QWEN_RUNTIME_DIR ? [env.QWEN_RUNTIME_DIR] : [])],
};

function ownFolder(env: Readonly<NodeJS.ProcessEnv>, home: string): string {
  return env.QWEN_HOME || join(home, ".qwen");
}

function errorLog(sessionId: string, env: Readonly<NodeJS.ProcessEnv>, home: string): string {
  return join(env.QWEN_RUNTIME_DIR || ownFolder(env, home), "debug", `${sessionId}.txt`);
}

type Fields = Readonly<Record<string, unknown>>;

function openQwenReader(): CliReader {
  let sessionId: string | null = null;
  let worked = false;
  let result: Fields | null = null;
  let retries = 0;
  const log = readQwenLog();
  return {
    errorLine: log.takeLine,
    isRetry: (value) => value.subtype === "retry",
    event(value) {
      sessionId = idOf(value.session_id) ?? sessionId;
      if (value.type === "assistant" && !isOwnError(value)) worked = true;
      if (value.subtype === "retry" && amountOf(objectAt(value, "data")?.attempt) !== null) retries += 1;
      if (value.type === "result") result = value;
    },
    report(exit) {
      const failed = result?.is_error === true;
      const waited = exit.waited === true;
      const own = result === null ? readTurnLimit(exit) : failed ? readError(result, exit.now) : null;
      const error = waited ? log.refused : own;
      const usage = objectAt(result, "usage");
      const tokens = { input: amountOf(usage?.input_tokens), output: amountOf(usage?.output_tokens) };
      // Nothing but zeros is not a count, unless the provider refused the call.
      const uncounted = tokens.input === 0 && tokens.output === 0 && error?.status === null;
      return {
        finalText: failed ? "" : (textOf(result?.result) ?? ""),
        ended: !waited && (result === null ? own !== null : !failed),
        worked,
        error,
        costUsd: null,
        tokens: uncounted ? { input: null, output: null } : tokens,
        turns: amountOf(result?.num_turns),
        sessionId,
        retries,
      };
    },
  };
}

/** It puts an error of the provider in place of an answer, which then has no tokens. */
function isOwnError(event: Fields): boolean {
  const message = objectAt(event, "message");
  const content = Array.isArray(message?.content) ? message.content.map(asObject) : [];
  const spent = amountOf(objectAt(message, "usage")?.output_tokens) ?? 0;
  return spent === 0 && content.length === 1 && textOf(content[0]?.text)?.startsWith("[API Error: ") === true;
}

function readError(result: Fields, now: number): CliError {
  const error = objectAt(result, "error");
  const said = textOf(error?.message) ?? textOf(result.subtype) ?? "no reason given";
  const message = /^\[API Error: (.*)\]/s.exec(said)?.[1] ?? said;
  const status = /^([45]\d\d)\b/.exec(message)?.[1];
  return {
    message,
    status: status === undefined ? null : Number(status),
    type: textOf(error?.type),
    resetAt: readWait(message, now),
  };
}

/** A bound that a person set ends it with code 53 and plain words on standard error. */
function readTurnLimit({ exitCode, stderrTail }: CliExit): CliError | null {
  if (exitCode !== 53) return null;
  const message = stderrTail.trim().split("\n").at(-1) ?? "";
  return { message, status: null, type: "error_max_turns", resetAt: null };
}
