import { join } from "node:path";
import { orElse } from "../../text/attempt.ts";
import { type JsonObject, objectAt, parseObject } from "../../text/json-object.ts";
import type { CliAdapter, CliError, CliReader } from "./adapter.ts";
import { addAmounts, addTokens, amountOf, answerEnd, idOf, startReport, textOf } from "./json-lines.ts";
import { isLimit, readMeaning, readWait } from "./limits.ts";
import { namesFlag } from "./tier-args.ts";

/**
 * opencode, seen as 1.18.33. It retries a failed call five times, for 75 s or as long as the provider says, even days;
 * no setting changes that, and only its log on standard error reports it.
 */
export const opencode: CliAdapter = {
  name: "opencode",
  program: "opencode",
  npmPackage: "opencode-ai",
  knownEnv: [
    ...["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GROQ_API_KEY", "OPENAI_API_KEY", "OPENCODE_API_KEY"],
    ...["OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR", "OPENROUTER_API_KEY"],
    ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"],
  ],
  env: {
    // Keeps sessions out of its database on disk.
    OPENCODE_DB: ":memory:",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    // No copies of the repo in its own folder: the runner has its own.
    OPENCODE_CONFIG_CONTENT: '{"snapshot":false}',
  },
  argv: ({ args }) => [
    ...["run", "--format", "json", "--auto", "--print-logs", "--log-level", "ERROR"],
    // Without a title it pays a model for one, unreported.
    ...(namesFlag(args, ["--title"]) ? [] : ["--title", "task-phase"]),
    ...args,
  ],
  cheapArgs: ["--variant", "minimal"],
  reportsCost: true,
  // It says nothing on SIGINT either; earlier events have the cost.
  stopSignal: "SIGTERM",
  openReader: openOpencodeReader,
  login: { argv: ["auth", "list"], loggedIn: ({ stdout }) => (/\b[1-9]\d* (?:cred|env)/.test(stdout) ? true : null) },
  ownPaths: (env, home) => [
    join(env.XDG_DATA_HOME || join(home, ".local", "share"), "opencode"),
    join(env.XDG_STATE_HOME || join(home, ".local", "state"), "opencode"),
    join(env.XDG_CACHE_HOME || join(home, ".cache"), "opencode"),
    // It creates a missing .gitignore there.
    join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
  ],
};

/** A longer wait named by the provider is no pause between two tries. */
const longestWaitMs = 60_000;
/** A wait named only in a header is unreported. Between its own tries it was silent for 40 s at most. */
const longestSilenceMs = 10 * 60_000;

/**
 * The provider's words in `… level=ERROR … message="stream error" … error.error="AI_APICallError: Rate limit reached"`
 */
function readRefusal(line: string): string | null {
  const said = / level=ERROR .*message="stream error" .*error\.error=("(?:[^"\\]|\\.)*")/.exec(
    line.slice(0, 8_000),
  )?.[1];
  if (said === undefined) return null;
  return orElse(() => String(JSON.parse(said)).replace(/^AI_\w+: /, ""), null);
}

function openOpencodeReader(): CliReader {
  const seen = startReport();
  let failure: JsonObject | null = null;
  let refused: CliError | null = null;
  const finishStep = (part: JsonObject | null): void => {
    seen.ended = part?.reason === "stop";
    seen.turns = (seen.turns ?? 0) + 1;
    const counts = objectAt(part, "tokens");
    seen.tokens = addTokens(seen.tokens, counts?.input, counts?.output);
    const cost = amountOf(part?.cost);
    // 0 may also mean an unknown price.
    if (cost !== 0) seen.costUsd = addAmounts(seen.costUsd, cost);
  };
  return {
    event(value) {
      const part = objectAt(value, "part");
      switch (value.type) {
        case "step_start":
          seen.sessionId = idOf(value.sessionID);
          // Text before more work was not the answer, and an error was not the last word.
          seen.finalText = "";
          seen.ended = false;
          seen.worked = true;
          failure = null;
          break;
        case "text":
          seen.finalText = answerEnd(
            `${seen.finalText}${seen.finalText === "" ? "" : "\n"}${textOf(part?.text) ?? ""}`,
          );
          break;
        case "step_finish":
          finishStep(part);
          break;
        case "error":
          seen.sessionId = idOf(value.sessionID);
          failure = objectAt(value, "error") ?? {};
          break;
        default:
      }
    },
    errorLine(line, now) {
      const message = readRefusal(line);
      if (message === null) return null;
      const error = { message, status: null, type: null, resetAt: readWait(message, now) };
      const meaning = readMeaning(error, []);
      if (!isLimit(meaning)) return null;
      refused = error;
      return meaning === "quota" || (error.resetAt ?? now) - now >= longestWaitMs ? 0 : longestSilenceMs;
    },
    report: ({ exitCode, stderrTail, now, waited }) => ({
      ...seen,
      ended: seen.ended && failure === null,
      error:
        failure !== null
          ? readError(failure, now)
          : waited === true
            ? refused
            : seen.worked || exitCode !== 1
              ? null
              : startFailure(stderrTail),
    }),
  };
}

/** The first line of the usage that answers an unknown flag. */
function startFailure(stderrTail: string): CliError | null {
  if (!stderrTail.trimStart().startsWith("opencode run [message..]")) return null;
  const message = "it printed only its usage, as it does for an unknown flag";
  return { message, status: null, type: null, resetAt: null };
}

function readError(error: JsonObject, now: number): CliError {
  const data = objectAt(error, "data");
  const name = textOf(error.name);
  const message = textOf(data?.message) ?? name ?? "";
  const status = amountOf(data?.statusCode);
  const body = textOf(data?.responseBody) ?? "";
  const inBody = objectAt(parseObject(body), "error");
  // Each API puts its error type elsewhere.
  const type = textOf(inBody?.code) ?? textOf(inBody?.status) ?? textOf(inBody?.type);
  return {
    message,
    status,
    type: type ?? (status === null && data?.isRetryable === true ? "connection_failed" : name),
    resetAt: readHeaders(data, now) ?? readWait(message, now) ?? readWait(body, now),
  };
}

/** Seconds, milliseconds, or a date. */
function readHeaders(data: JsonObject | null, now: number): number | null {
  const headers = objectAt(data, "responseHeaders");
  const milliseconds = numberIn(headers?.["retry-after-ms"]);
  if (milliseconds !== null) return now + Math.ceil(milliseconds);
  const after = textOf(headers?.["retry-after"]);
  const seconds = numberIn(after);
  if (seconds !== null) return now + Math.ceil(seconds * 1_000);
  const date = Date.parse(after ?? "");
  return Number.isNaN(date) ? null : Math.max(date, now);
}

function numberIn(value: unknown): number | null {
  return typeof value === "string" && /^\d{1,12}(?:\.\d+)?$/.test(value.trim()) ? Number(value) : null;
}
