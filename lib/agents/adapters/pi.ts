import { join } from "node:path";
import { asObject, objectAt, parseObject } from "../../text/json-object.ts";
import { exceptionLine } from "../../text/telling-line.ts";
import type { CliAdapter, CliError, CliExit, CliReader } from "./adapter.ts";
import { addAmounts, addTokens, amountOf, failedStart, idOf, startReport, statusOf, textOf } from "./json-lines.ts";
import { readWait } from "./limits.ts";

/**
 * pi, seen as 0.74.2 and 0.87.1. It has no permissions: all its tools work, the shell included. With --mode json it
 * exits 0 on every provider error, so only its events tell. Retries are in its settings.json alone (`retry`).
 */
export const pi: CliAdapter = {
  name: "pi",
  program: "pi",
  npmPackage: "@earendil-works/pi-coding-agent",
  knownEnv: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_OAUTH_TOKEN",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "XAI_API_KEY",
    "DEEPSEEK_API_KEY",
    "PI_CODING_AGENT_DIR",
  ],
  env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" },
  argv: ({ args }) => ["-p", "--mode", "json", "--no-session", ...args],
  // Overrides a level given as a suffix of the model name, as in `--model provider/id:high`.
  cheapArgs: ["--thinking", "off"],
  reportsCost: true,
  // It says nothing on SIGINT either; earlier events have the cost.
  stopSignal: "SIGTERM",
  openReader: openPiReader,
  // 0.74 repeats the whole message at each word: 17 MB for an answer of 20 kB.
  skippedLines: ['{"type":"message_update"', '{"type":"message_start"', '{"type":"tool_execution_update"'],
  login: {
    argv: ["--list-models"],
    // It lists the models that it has keys for, and always exits 0.
    loggedIn: ({ stdout }) =>
      /^no models/im.test(stdout) ? false : /^provider\s+model\b/im.test(stdout) ? true : null,
  },
  // The newer one locks and rewrites auth.json at each start.
  ownPaths: (env, home) => [env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent")],
};

function openPiReader(): CliReader {
  const seen = startReport();
  let failure: string | null = null;
  const takeUsage = (usage: unknown, rejected: boolean): void => {
    const cost = amountOf(objectAt(usage, "cost")?.total);
    const counts = asObject(usage) ?? {};
    const used = ["input", "output", "cacheRead", "cacheWrite"].some((key) => (amountOf(counts[key]) ?? 0) > 0);
    // All zeros is no count of a cut answer. A refused call does cost nothing.
    if (!used && !rejected) return;
    seen.tokens = addTokens(seen.tokens, counts.input, counts.output);
    // Tokens at no cost: pi knows no price for this model.
    if (cost !== 0 || !used) seen.costUsd = addAmounts(seen.costUsd, cost);
  };
  const takeMessage = (message: Readonly<Record<string, unknown>>): void => {
    if (message.role !== "assistant") return;
    const failed = message.stopReason === "error" || message.stopReason === "aborted";
    failure = failed ? (textOf(message.errorMessage) ?? `it ended with the reason ${message.stopReason}`) : null;
    seen.finalText = failed ? "" : textIn(message.content);
    seen.worked ||= !failed;
    seen.turns = (seen.turns ?? 0) + 1;
    takeUsage(message.usage, failure !== null && statusOf(failure) !== null);
  };
  return {
    event(value) {
      switch (value.type) {
        case "session":
          seen.sessionId = idOf(value.id);
          break;
        case "message_end":
          takeMessage(asObject(value.message) ?? {});
          break;
        case "compaction_end":
          // A summary is a separate call, which only the newer one counts.
          takeUsage(objectAt(value, "result")?.usage, false);
          break;
        case "agent_start":
          seen.ended = false;
          break;
        case "agent_end":
          // Each try ends with one: the last one counts.
          seen.ended = true;
          break;
        case "auto_retry_start":
          // Earlier errors do not decide the end.
          failure = null;
          seen.retries += 1;
          break;
        case "auto_retry_end":
          if (value.success === false) failure = textOf(value.finalError) ?? failure ?? "its last attempt failed";
          break;
        default:
      }
    },
    report(exit) {
      const words = failure ?? (seen.turns === null ? startFailure(exit) : null);
      return {
        ...seen,
        finalText: seen.ended ? seen.finalText : "",
        ended: seen.ended && failure === null,
        error: words === null ? null : readError(words, exit.now),
      };
    },
  };
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content) ?? "";
  return content
    .map(asObject)
    .flatMap((part) => (part?.type === "text" ? [textOf(part.text) ?? ""] : []))
    .join("\n");
}

/** Before its first call it reports mistakes on standard error: no key, no such model. Advice follows. */
function startFailure({ exitCode, stderrTail }: CliExit): string | null {
  if (!failedStart(exitCode)) return null;
  const lines = stderrTail.split("\n").map((line) => line.trim());
  // A newer one on an older Node ends with a trace that begins with a source line.
  return exceptionLine(stderrTail) ?? lines.find((line) => line !== "" && !line.startsWith("Warning:")) ?? null;
}

/** The provider's status, then its words or JSON: `429 Rate limit…`, `429: {"message":…}`. */
function readError(message: string, now: number): CliError {
  const body = parseObject(message.slice(Math.max(0, message.indexOf("{"))));
  const inner = asObject(body?.error) ?? body;
  const words = textOf(inner?.message);
  const prefix = /^[45]\d\d:? (?=\{)/.exec(message)?.[0];
  return {
    message: prefix === undefined || words === null ? message : `${prefix}${words}`,
    status: statusOf(message),
    type: textOf(inner?.code) ?? textOf(inner?.type),
    resetAt: readWait(message, now),
  };
}
