import { join } from "node:path";
import { asObject, type JsonObject, objectAt } from "../../text/json-object.ts";
import type { CliAdapter, CliError, CliExit, CliReader } from "./adapter.ts";
import { amountOf, idOf, startReport, statusOf, textOf, tokensIn, tokensUnlessCut } from "./json-lines.ts";
import { isLimit, readMeaning, readWait } from "./limits.ts";
import { namesFlag } from "./tier-args.ts";

/**
 * Qwen Code, seen as 0.24.4. Its events are like claude's; it retries failed calls, for hours if the provider says so,
 * and only its debug log reports that.
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
    // It takes several words: `=` limits it to one.
    `--add-dir=${taskDir}`,
    ...args,
  ],
  // Any provider's models may be behind it.
  cheapArgs: [],
  reportsCost: false,
  stopSignal: "SIGTERM",
  openReader: openQwenReader,
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

function openQwenReader(): CliReader {
  const seen = startReport();
  let result: JsonObject | null = null;
  const log = readQwenLog();
  return {
    errorLine: log.takeLine,
    isRetry: (value) => value.subtype === "retry",
    event(value) {
      seen.sessionId = idOf(value.session_id) ?? seen.sessionId;
      if (value.type === "assistant" && !isOwnError(value)) seen.worked = true;
      if (value.subtype === "retry" && amountOf(objectAt(value, "data")?.attempt) !== null) seen.retries += 1;
      if (value.type === "result") result = value;
    },
    report(exit) {
      const failed = result?.is_error === true;
      const waited = exit.waited === true;
      const own = result === null ? readTurnLimit(exit) : failed ? readError(result, exit.now) : null;
      const error = waited ? log.refused : own;
      return {
        ...seen,
        finalText: failed ? "" : (textOf(result?.result) ?? ""),
        ended: !waited && (result === null ? own !== null : !failed),
        error,
        tokens: tokensUnlessCut(tokensIn(objectAt(result, "usage")), error),
        turns: amountOf(result?.num_turns),
      };
    },
  };
}

/** A provider's error in place of an answer has no tokens. */
function isOwnError(event: JsonObject): boolean {
  const message = objectAt(event, "message");
  const content = Array.isArray(message?.content) ? message.content.map(asObject) : [];
  const spent = amountOf(objectAt(message, "usage")?.output_tokens) ?? 0;
  return spent === 0 && content.length === 1 && textOf(content[0]?.text)?.startsWith("[API Error: ") === true;
}

function readError(result: JsonObject, now: number): CliError {
  const error = objectAt(result, "error");
  const said = textOf(error?.message) ?? textOf(result.subtype) ?? "no reason given";
  const message = /^\[API Error: (.*)\]/s.exec(said)?.[1] ?? said;
  return { message, status: statusOf(message), type: textOf(error?.type), resetAt: readWait(message, now) };
}

/** A person's bound ends it with code 53 and plain words on standard error. */
function readTurnLimit({ exitCode, stderrTail }: CliExit): CliError | null {
  if (exitCode !== 53) return null;
  const message = stderrTail.trim().split("\n").at(-1) ?? "";
  return { message, status: null, type: "error_max_turns", resetAt: null };
}

/** A longer wait is no pause between two tries: its own stay shorter for seven failures. */
const longestWaitMs = 60_000;
/** Events within this time mean that the line, perhaps a tool's, was not about a wait. */
const settleMs = 2_000;

/**
 * Qwen Code's debug log, seen as 0.24.4, the only report of retried calls. An entry names status and wait, followed by
 * the provider's words: 2026-11-23T06:12:32.231Z [WARN] [RETRY] Attempt 1 failed with status 429. Retrying after
 * explicit delay of 600000ms... { } Error: 429 Rate limit reached for requests. Please try again in 600s. After these
 * tries, another layer continues for an hour: `[QWEN_CODE_CHAT] Rate limit retry scheduled {`, with its wait in a line
 * `retryDelayMs: 60000,`.
 */
export function readQwenLog(): {
  takeLine(line: string, now: number): number | null;
  readonly refused: CliError | null;
} {
  let refused: CliError | null = null;
  let entry: { readonly status: number | null; readonly waitMs: number } | null = null;
  let scheduled = false;
  const refuse = (words: string, now: number): number | null => {
    if (entry === null) return null;
    const { status, waitMs } = entry;
    entry = null;
    const resetAt = waitMs >= longestWaitMs ? now + waitMs : readWait(words, now);
    const error = { message: words, status, type: null, resetAt };
    const meaning = readMeaning(error, []);
    if (!isLimit(meaning)) return null;
    refused = error;
    return meaning === "quota" || (resetAt ?? now) - now >= longestWaitMs ? settleMs : null;
  };
  return {
    get refused() {
      return refused;
    },
    takeLine(line, now) {
      const head = /^\d{4}-\S+Z \[\w+\] \[(\w+)\](?: \[trace_id=[^\]]*\])? (.*)/.exec(line.slice(0, 2_000));
      if (head !== null) {
        const [, tag, text = ""] = head;
        entry = tag === "RETRY" ? readRetry(text) : null;
        scheduled = tag === "QWEN_CODE_CHAT" && text.startsWith("Rate limit retry scheduled");
        return null;
      }
      const words = /^\} (?:\w*Error): (.+)/.exec(line)?.[1];
      if (words !== undefined) return refuse(words, now);
      const waitMs = scheduled ? /^ {2}retryDelayMs: (\d{1,12})\b/.exec(line)?.[1] : undefined;
      return waitMs !== undefined && Number(waitMs) >= longestWaitMs && refused !== null ? settleMs : null;
    },
  };
}

function readRetry(text: string): { readonly status: number | null; readonly waitMs: number } | null {
  const failed = /^Attempt \d+ failed(?: with status (\d{3}))?\. Retrying (.*)/.exec(text);
  if (failed === null) return null;
  const explicit = /^after explicit delay of (\d{1,12})ms\b/.exec(failed[2] ?? "")?.[1];
  return { status: failed[1] === undefined ? null : Number(failed[1]), waitMs: Number(explicit ?? 0) };
}
