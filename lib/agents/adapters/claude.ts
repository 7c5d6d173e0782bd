import { join } from "node:path";
import { asObject, type JsonObject, objectAt } from "../../text/json-object.ts";
import { exceptionLine } from "../../text/telling-line.ts";
import type { CliAdapter, CliError, CliExit, CliReader, CliReport } from "./adapter.ts";
import { addTokens, amountOf, failedStart, idOf, startReport, textOf, tokensIn, unknownTokens } from "./json-lines.ts";
import { readWait } from "./limits.ts";

/**
 * Claude Code, observed as 2.1.197 and 2.1.330. Edits are allowed in the repo and the task folder, the shell
 * everywhere, other tools by the user's settings; a denied one does not end the run. Permissions are never skipped as a
 * whole, since Claude Code refuses that for root.
 */
export const claude: CliAdapter = {
  name: "claude",
  program: "claude",
  npmPackage: "@anthropic-ai/claude-code",
  knownEnv: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
  ],
  env: {
    // By default 10: three minutes for a rate limit, and as long for a wrong key.
    CLAUDE_CODE_MAX_RETRIES: "3",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
  },
  argv: ({ taskDir, args }) => [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--no-session-persistence",
    "--permission-mode",
    "acceptEdits",
    // Both take several words: `=` limits them to one.
    "--allowedTools=Bash",
    `--add-dir=${taskDir}`,
    ...args,
  ],
  cheapArgs: ["--model", "haiku"],
  reportsCost: true,
  // It then prints its result with the cost; on SIGTERM it does not.
  stopSignal: "SIGINT",
  openReader: openClaudeReader,
  login: {
    argv: ["auth", "status"],
    loggedIn: ({ exitCode }) => (exitCode === 0 ? true : exitCode === 1 ? false : null),
  },
  ownPaths: (env, home) =>
    env.CLAUDE_CONFIG_DIR ? [env.CLAUDE_CONFIG_DIR] : [join(home, ".claude"), join(home, ".claude.json")],
};

interface OwnError {
  readonly kind: string | null;
}

function openClaudeReader(): CliReader {
  const seen = startReport();
  let result: JsonObject | null = null;
  let ownError: OwnError | null = null;
  let resetAt: number | null = null;
  let answered = false;
  return {
    event(value) {
      seen.sessionId = idOf(value.session_id) ?? seen.sessionId;
      switch (value.type) {
        case "assistant":
          // A helper agent's message.
          if (textOf(value.parent_tool_use_id) !== null) break;
          answered = true;
          ownError = readOwnError(value);
          if (ownError === null) {
            resetAt = null;
            seen.worked = true;
          }
          break;
        case "rate_limit_event":
          resetAt = readReset(value) ?? resetAt;
          break;
        case "system":
          if (value.subtype === "api_retry") seen.retries += 1;
          break;
        case "result":
          result = value;
          break;
        default:
      }
    },
    report(exit) {
      if (result === null) return { ...seen, error: answered ? null : startFailure(exit) };
      const failed = result.is_error === true;
      const words = textOf(result.result) ?? "";
      // Text not known as the CLI's own is the agent's, and must not count as an error.
      const own = failed && (!answered || ownError !== null || amountOf(result.api_error_status) !== null);
      return {
        ...seen,
        finalText: own ? "" : words,
        ended: true,
        error: failed ? readError(result, own ? words : "", ownError, resetAt, exit.now) : null,
        costUsd: isUncounted(result) ? null : amountOf(result.total_cost_usd),
        tokens: tokensOf(result),
        turns: amountOf(result.num_turns),
      };
    },
  };
}

function readOwnError(event: JsonObject): OwnError | null {
  const kind = textOf(event.error);
  const made =
    kind !== null || event.is_api_error_message === true || objectAt(event, "message")?.model === "<synthetic>";
  return made ? { kind } : null;
}

/** Null unless no call is let through. */
function readReset(event: JsonObject): number | null {
  const info = objectAt(event, "rate_limit_info");
  const seconds = info?.status === "rejected" ? info.resetsAt : null;
  // One that is absurd is a time too: it is not looked for in the words then.
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

function readError(
  result: JsonObject,
  words: string,
  own: OwnError | null,
  resetAt: number | null,
  now: number,
): CliError {
  const errors = (Array.isArray(result.errors) ? result.errors : []).flatMap((one) => textOf(one) ?? []);
  // A note for its makers on interruption.
  const reasons = errors.filter((one) => !one.startsWith("[ede_diagnostic]"));
  const subtype = result.subtype === "success" ? null : textOf(result.subtype);
  const message = words || reasons.join("; ") || (subtype ?? "no reason given");
  // A plan's limit, which the older version does not name.
  const planLimit = resetAt !== null && own?.kind === "rate_limit" ? "usage_limit_reached" : null;
  return {
    message,
    status: amountOf(result.api_error_status),
    type: planLimit ?? textOf(result.api_error) ?? subtype ?? own?.kind ?? textOf(result.api_error_type),
    resetAt: resetAt ?? readWait(message, now),
  };
}

/** An interrupted run without a count had calls under way. */
function isUncounted(result: JsonObject): boolean {
  return result.subtype === "error_during_execution" && modelsOf(result).length === 0;
}

/** `usage` may miss the last call; the sums over the models do not. */
function tokensOf(result: JsonObject): CliReport["tokens"] {
  if (isUncounted(result)) return unknownTokens;
  const models = modelsOf(result);
  if (models.length === 0) return tokensIn(objectAt(result, "usage"));
  return models.reduce<CliReport["tokens"]>(
    (sum, model) => addTokens(sum, model.inputTokens, model.outputTokens),
    unknownTokens,
  );
}

function modelsOf(result: JsonObject): readonly JsonObject[] {
  return Object.values(objectAt(result, "modelUsage") ?? {})
    .map(asObject)
    .filter((model) => model !== null);
}

/** Before any call it reports mistakes, such as an unknown flag, on standard error. */
function startFailure({ exitCode, stderrTail }: CliExit): CliError | null {
  const message = exceptionLine(stderrTail) ?? stderrTail.trim().split("\n").at(-1)?.trim() ?? "";
  if (!failedStart(exitCode) || message === "") return null;
  return { message, status: null, type: null, resetAt: null };
}
