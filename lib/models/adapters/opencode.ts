import { join } from "node:path";
import { objectAt, parseObject } from "../../text/json-object.ts";
import type { CliAdapter, CliError, CliReader } from "./adapter.ts";
import { answerEnd } from "./answer-end.ts";
import { addAmounts, amountOf, idOf, textOf } from "./json-lines.ts";
import { readMeaning, readWait } from "./limits.ts";
import { namesFlag } from "./tier-args.ts";

/**
 * opencode, seen as 1.18.33. A call that fails is tried again five times, which takes 75 s, or as long as the provider
 * says, be it days; no setting changes that, and only its log, on standard error, tells of it.
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
    // Sessions are rows of a database; this one is gone with the process.
    OPENCODE_DB: ":memory:",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    // No copies of the repo in its own folder: the runner has its own, and nobody steps back in a session.
    OPENCODE_CONFIG_CONTENT: '{"snapshot":false}',
  },
  argv: ({ args }) => [
    ...["run", "--format", "json", "--auto", "--print-logs", "--log-level", "ERROR"],
    // Without a title it asks a model for one, and does not say what that cost.
    ...(namesFlag(args, ["--title"]) ? [] : ["--title", "task-phase"]),
    ...args,
  ],
  cheapArgs: ["--variant", "minimal"],
  reportsCost: true,
  // It says nothing on SIGINT either; what it spent is in the events that came before.
  stopSignal: "SIGTERM",
  openReader: openOpencodeReader,
  limitPatterns: [],
  login: { argv: ["auth", "list"], loggedIn: ({ stdout }) => (/\b[1-9]\d* (?:cred|env)/.test(stdout) ? true : null) },
  ownPaths: (env, home) => [
    join(env.XDG_DATA_HOME || join(home, ".local", "share"), "opencode"),
    join(env.XDG_STATE_HOME || join(home, ".local", "state"), "opencode"),
    join(env.XDG_CACHE_HOME || join(home, ".cache"), "opencode"),
    // It writes a .gitignore there if it finds none.
    join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
  ],
};

/** A wait that the provider names and that is as long is no pause between two tries. */
const longestWaitMs = 60_000;
/**
 * A wait that only a header names is not told. Between two tries of its own it was silent for 40 s at most, but an
 * answer that came at last is printed when it is whole.
 */
const longestSilenceMs = 10 * 60_000;

/** `… level=ERROR … message="stream error" … error.error="AI_APICallError: Rate limit reached"`: the provider's words. */
function readRefusal(line: string): string | null {
  const said = / level=ERROR .*message="stream error" .*error\.error=("(?:[^"\\]|\\.)*")/.exec(
    line.slice(0, 8_000),
  )?.[1];
  if (said === undefined) return null;
  try {
    return String(JSON.parse(said)).replace(/^AI_\w+: /, "");
  } catch {
    return null;
  }
}

function openOpencodeReader(): CliReader {
  let sessionId: string | null = null;
  let answer = "";
  let failure: Readonly<Record<string, unknown>> | null = null;
  let refused: CliError | null = null;
  let ended = false;
  let worked = false;
  let costUsd: number | null = null;
  let input: number | null = null;
  let output: number | null = null;
  let turns: number | null = null;
  const finishStep = (part: Readonly<Record<string, unknown>> | null): void => {
    ended = part?.reason === "stop";
    turns = (turns ?? 0) + 1;
    const counts = objectAt(part, "tokens");
    input = addAmounts(input, amountOf(counts?.input));
    output = addAmounts(output, amountOf(counts?.output));
    const cost = amountOf(part?.cost);
    // 0 is also its cost of a model that it knows no price of.
    if (cost !== 0) costUsd = addAmounts(costUsd, cost);
  };
  return {
    event(value) {
      const part = objectAt(value, "part");
      switch (value.type) {
        case "step_start":
          sessionId = idOf(value.sessionID);
          // Text before more work was not its answer, and an error was not its last word.
          answer = "";
          ended = false;
          worked = true;
          failure = null;
          break;
        case "text":
          answer = answerEnd(`${answer}${answer === "" ? "" : "\n"}${textOf(part?.text) ?? ""}`);
          break;
        case "step_finish":
          finishStep(part);
          break;
        case "error":
          sessionId = idOf(value.sessionID);
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
      if (meaning !== "quota" && meaning !== "rate_limit" && meaning !== "overloaded") return null;
      refused = error;
      return meaning === "quota" || (error.resetAt ?? now) - now >= longestWaitMs ? 0 : longestSilenceMs;
    },
    report: ({ exitCode, stderrTail, now, waited }) => ({
      finalText: answer,
      ended: ended && failure === null,
      worked,
      error:
        failure !== null
          ? readError(failure, now)
          : waited === true
            ? refused
            : worked || exitCode !== 1
              ? null
              : startFailure(stderrTail),
      costUsd,
      tokens: { input, output },
      turns,
      sessionId,
      retries: 0,
    }),
  };
}

/** A flag that it does not know it answers with its usage alone, whose first line this is. */
function startFailure(stderrTail: string): CliError | null {
  if (!stderrTail.trimStart().startsWith("opencode run [message..]")) return null;
  const message = "it printed only its usage, as it does for an unknown flag";
  return { message, status: null, type: null, resetAt: null };
}

function readError(error: Readonly<Record<string, unknown>>, now: number): CliError {
  const data = objectAt(error, "data");
  const name = textOf(error.name);
  const message = textOf(data?.message) ?? name ?? "";
  const status = amountOf(data?.statusCode);
  return {
    message,
    status,
    type: typeInBody(data) ?? (status === null && data?.isRetryable === true ? "connection_failed" : name),
    resetAt: readHeaders(data, now) ?? readWait(message, now) ?? readWait(textOf(data?.responseBody) ?? "", now),
  };
}

/** The provider's own word for it: each API has it elsewhere. */
function typeInBody(data: Readonly<Record<string, unknown>> | null): string | null {
  const error = objectAt(parseObject(textOf(data?.responseBody) ?? ""), "error");
  return textOf(error?.code) ?? textOf(error?.status) ?? textOf(error?.type);
}

/** When the provider says to come back: in seconds or milliseconds, or as a date. */
function readHeaders(data: Readonly<Record<string, unknown>> | null, now: number): number | null {
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
