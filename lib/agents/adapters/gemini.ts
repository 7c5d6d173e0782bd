import { readdirSync } from "node:fs";
import { join } from "node:path";
import { orElse } from "../../text/attempt.ts";
import { type JsonObject, objectAt, parseObject } from "../../text/json-object.ts";
import type { CliAdapter, CliError, CliExit, CliReader } from "./adapter.ts";
import { amountOf, answerEnd, idOf, startReport, textOf, tokensIn, tokensUnlessCut } from "./json-lines.ts";
import { readWait } from "./limits.ts";
import { namesFlag } from "./tier-args.ts";

/**
 * gemini, seen as 0.61.0. It always writes its session below its own folder and, after an API error, the conversation
 * to its temporary folder, so the runner removes both. Retries are its users' setting alone: only root's file of
 * defaults counts. It reads in files for prompt words such as `@src/app.ts`.
 */
export const gemini: CliAdapter = {
  name: "gemini",
  program: "gemini",
  npmPackage: "@google/gemini-cli",
  knownEnv: [
    ...["GEMINI_API_KEY", "GEMINI_CLI_HOME", "GEMINI_MODEL", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
    ...["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_PROJECT"],
    ...["GOOGLE_GENAI_USE_GCA", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_VERTEX_BASE_URL"],
  ],
  env: {},
  leavesTemporary: true,
  argv: ({ taskDir, args }) => [
    ...["--output-format", "stream-json", "--skip-trust"],
    // It refuses a repeated flag. Without a terminal, auto_edit has no shell.
    ...(namesFlag(args, ["--approval-mode", "-y", "--yolo"]) ? [] : ["--approval-mode", "yolo"]),
    ...["--include-directories", taskDir],
    ...args,
  ],
  cheapArgs: ["--model", "gemini-2.5-flash-lite"],
  reportsCost: false,
  // It says nothing on SIGINT either.
  stopSignal: "SIGTERM",
  openReader: openGeminiReader,
  login: null,
  sessionPaths: (sessionId, env, home) => geminiSessionPaths(ownFolder(env, home), sessionId),
  ownPaths: (env, home) => [ownFolder(env, home)],
};

function ownFolder(env: Readonly<NodeJS.ProcessEnv>, home: string): string {
  return join(env.GEMINI_CLI_HOME || home, ".gemini");
}

function openGeminiReader(): CliReader {
  const seen = startReport();
  let warning: string | null = null;
  let result: JsonObject | null = null;
  return {
    event(value) {
      switch (value.type) {
        case "init":
          seen.sessionId = idOf(value.session_id);
          break;
        case "message":
          // The prompt is a message too, the user's.
          if (value.role !== "assistant") break;
          seen.worked = true;
          seen.finalText = answerEnd(seen.finalText + (textOf(value.content) ?? ""));
          break;
        case "tool_use":
          // Text before more work was not the answer.
          seen.worked = true;
          seen.finalText = "";
          break;
        case "error":
          warning = textOf(value.message);
          break;
        case "result":
          result = value;
          break;
        default:
      }
    },
    report: (exit) => {
      const ended = result?.status === "success";
      const error = ended ? null : readError(result, warning, exit);
      return {
        ...seen,
        ended,
        error,
        tokens: tokensUnlessCut(tokensIn(objectAt(result, "stats")), error),
        // Reported on standard error alone.
        retries: exit.stderrTail.match(/\bRetrying (?:after \d+ms|with backoff)\.\.\./g)?.length ?? 0,
      };
    },
  };
}

function readError(
  result: JsonObject | null,
  warning: string | null,
  { exitCode, stderrTail, now }: CliExit,
): CliError | null {
  if (result === null) return readFatalError(exitCode, stderrTail, now);
  const error = objectAt(result, "error");
  const said = textOf(error?.message) ?? warning ?? "";
  const answer = answerIn(/^\[API Error: (\{.*\})\]/s.exec(said)?.[1] ?? said);
  const message = textOf(answer?.message) ?? said;
  const type = textOf(answer?.status) ?? textOf(error?.type);
  return { message, status: statusOf(exitCode), type, resetAt: readWait(said, now) };
}

/** The provider's answer; its message may be another such answer as text. */
function answerIn(text: string): JsonObject | null {
  const answer = objectAt(parseObject(text), "error");
  return answer === null ? null : (answerIn(textOf(answer.message) ?? "") ?? answer);
}

/** Before its first event it ends with a JSON object on standard error, or with code 41 and plain words. */
function readFatalError(exitCode: number | null, stderrTail: string, now: number): CliError | null {
  const last = /(?:^|\n)(?:\[ERROR\] )?(\{\n(?:(?!\n\}).)*\n\})\s*$/s.exec(stderrTail.slice(-16_000))?.[1];
  const error = objectAt(parseObject(last ?? ""), "error");
  const said = textOf(error?.message);
  if (exitCode === 41)
    return { message: said ?? lastWords(stderrTail), status: null, type: "FatalAuthenticationError", resetAt: null };
  if (said === null) return null;
  const status = amountOf(error?.code);
  const answer = answerIn(said);
  return {
    message: textOf(answer?.message) ?? said,
    status: status !== null && status >= 400 && status <= 599 ? status : statusOf(exitCode),
    type: textOf(answer?.status) ?? textOf(error?.type),
    resetAt: readWait(said, now),
  };
}

/** It exits with the lowest eight bits of the HTTP status: 429 becomes 173. */
function statusOf(exitCode: number | null): number | null {
  return exitCode !== null && exitCode >= 144 && exitCode <= 255 ? exitCode + 256 : null;
}

function lastWords(stderrTail: string): string {
  const lines = stderrTail.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("YOLO mode"));
  return lines.slice(-2).join(" ");
}

/**
 * What a session may have left below its own folder, which has one folder a project: the talk, named after the
 * beginning of its id, and files with the whole id. Seen as 0.61.0. Empty for a foreign id.
 */
export function geminiSessionPaths(folder: string, sessionId: string): readonly string[] {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sessionId)) return [];
  const ending = `-${sessionId.slice(0, 8)}.jsonl`;
  return list(join(folder, "tmp")).flatMap((project) => {
    const chats = join(folder, "tmp", project, "chats");
    const talks = list(chats).filter((name) => name.startsWith("session-") && name.endsWith(ending));
    return [
      ...talks.map((name) => join(chats, name)),
      join(chats, sessionId),
      join(folder, "tmp", project, "logs", `session-${sessionId}.jsonl`),
      join(folder, "tmp", project, "tool-outputs", `session-${sessionId}`),
      join(folder, "tmp", project, sessionId),
    ];
  });
}

function list(folder: string): string[] {
  return orElse(() => readdirSync(folder), []);
}
