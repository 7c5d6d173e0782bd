import { join } from "node:path";
import { type JsonObject, objectAt } from "../../text/json-object.ts";
import { exceptionLine } from "../../text/telling-line.ts";
import type { CliAdapter, CliError, CliExit, CliReader } from "./adapter.ts";
import { amountOf, failedStart, idOf, startReport, textOf } from "./json-lines.ts";
import { readWait } from "./limits.ts";

/**
 * GitHub Copilot CLI, seen as 1.0.102 with a custom provider. It retries a failed call up to five times. It always
 * writes its session: the runner removes that folder, and the prompt stays in the store of all sessions.
 */
export const copilot: CliAdapter = {
  name: "copilot",
  program: "copilot",
  npmPackage: "@github/copilot",
  knownEnv: [
    ...["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_HOME", "COPILOT_MODEL", "COPILOT_OFFLINE"],
    ...["COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_TYPE"],
  ],
  env: { COPILOT_AUTO_UPDATE: "false" },
  argv: ({ taskDir, sessionId, args }) => [
    ...["--output-format", "json", "--no-color", "--no-ask-user", "--allow-all-tools"],
    // Its events name the session only at their end, which an interrupted run does not reach.
    `--session-id=${sessionId}`,
    `--add-dir=${taskDir}`,
    ...args,
  ],
  cheapArgs: ["--reasoning-effort", "low"],
  reportsCost: false,
  stopSignal: "SIGTERM",
  openReader: openCopilotReader,
  skippedLines: ['{"type":"assistant.message_delta"', '{"type":"assistant.tool_call_delta"', '{"type":"session.back'],
  login: null,
  sessionPaths: (sessionId, env, home) => {
    // `.` and `..` are no sessions.
    if (/^\.{0,2}$/.test(sessionId)) return [];
    const states = join(ownFolder(env, home), "session-state");
    return [join(states, sessionId), join(states, ".session-operation-locks", `${sessionId}.lock`)];
  },
  ownPaths: (env, home) => [ownFolder(env, home), join(env.XDG_CACHE_HOME || join(home, ".cache"), "copilot")],
};

function ownFolder(env: Readonly<NodeJS.ProcessEnv>, home: string): string {
  return env.COPILOT_HOME || join(home, ".copilot");
}

function openCopilotReader(): CliReader {
  const seen = startReport();
  let failure: JsonObject | null = null;
  let lastCall: string | null = null;
  let aborted = false;
  return {
    event(value) {
      const data = objectAt(value, "data");
      switch (value.type) {
        case "assistant.message":
          seen.worked = true;
          failure = null;
          seen.turns = (seen.turns ?? 0) + 1;
          seen.finalText = textOf(data?.content) ?? "";
          break;
        case "tool.execution_start":
          // Text before more work was not the answer.
          seen.worked = true;
          seen.finalText = "";
          break;
        case "assistant.turn_retry":
          seen.retries += 1;
          break;
        case "model.call_final_result":
          lastCall = textOf(data?.result);
          break;
        case "session.error":
          failure = data ?? {};
          break;
        case "assistant.idle":
          aborted = data?.aborted === true;
          break;
        case "result":
          seen.sessionId = idOf(value.sessionId);
          seen.ended = true;
          break;
        default:
      }
    },
    report: (exit) => ({
      ...seen,
      finalText: failure === null ? seen.finalText : "",
      ended: seen.ended && !aborted && failure === null,
      error:
        failure !== null
          ? readError(failure, lastCall, exit.now)
          : seen.ended || seen.worked
            ? null
            : startFailure(exit),
    }),
  };
}

/** Before its first call it reports mistakes, such as a missing login, on standard error. */
function startFailure({ exitCode, stderrTail }: CliExit): CliError | null {
  const message = failedStart(exitCode) ? exceptionLine(stderrTail) : null;
  return message === null ? null : { message, status: null, type: null, resetAt: null };
}

/** If the provider was unreachable, `lastCall` says more than its own words. */
function readError(error: JsonObject, lastCall: string | null, now: number): CliError {
  const message = textOf(error.message) ?? "";
  return {
    message,
    status: amountOf(error.statusCode),
    type: lastCall === "transport_error" ? "connection_failed" : textOf(error.errorType),
    resetAt: readWait(message, now),
  };
}
