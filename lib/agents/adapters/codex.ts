import { join } from "node:path";
import { isUnder } from "../../process/bwrap.ts";
import { asObject, type JsonObject, objectAt } from "../../text/json-object.ts";
import { shorten } from "../../text/shorten.ts";
import type { CliAdapter, CliError, CliExit, CliReader } from "./adapter.ts";
import { idOf, startReport, textOf, tokensIn } from "./json-lines.ts";
import { readWait } from "./limits.ts";
import { namesFlag } from "./tier-args.ts";

/**
 * codex, seen as 0.169.0. It retries a failed call up to five times, for 25 s at most or as long as the provider says,
 * and without a network forever, visible only in its log on standard error. Only a custom provider in config.toml can
 * have other bounds.
 */
export const codex: CliAdapter = {
  name: "codex",
  program: "codex",
  npmPackage: "@openai/codex",
  // OPENAI_API_KEY alone does nothing: it is for a custom provider that names it as `env_key`.
  knownEnv: ["CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY"],
  // It prints a limit's end as local time without a zone: make that the runner's.
  env: {
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
    // Its default level, and the one line that reports a wait.
    RUST_LOG: "error,codex_core::responses_retry=warn",
  },
  argv: ({ repo, taskDir, sandboxed, args }) => [
    ...["exec", "--json", "--color", "never", "--skip-git-repo-check", "--ephemeral"],
    ...(sandboxed ? ["--dangerously-bypass-approvals-and-sandbox"] : []),
    // It refuses a repeated flag.
    ...(sandboxed || namesFlag(args, ["-s", "--sandbox"]) ? [] : ["--sandbox", "workspace-write"]),
    // Its own sandbox creates each named folder to mount over it: name none in vain.
    ...(isUnder(taskDir, [repo]) ? [] : ["--add-dir", taskDir]),
    ...args,
    "-",
  ],
  // The last of repeated settings counts.
  cheapArgs: ["-c", 'model_reasoning_effort="low"'],
  reportsCost: false,
  stopSignal: "SIGTERM",
  openReader: openCodexReader,
  // Its "no" ignores a key in the environment.
  login: {
    argv: ["login", "status"],
    loggedIn: ({ exitCode }) => (exitCode === 0 ? true : exitCode === 1 ? false : null),
  },
  ownPaths: (env, home) => [env.CODEX_HOME || join(home, ".codex")],
};

const quietItems: ReadonlySet<unknown> = new Set(["agent_message", "reasoning", "todo_list", "error"]);

/** A longer wait is no pause between two tries; without a network its pauses reach that in 90 s. */
const longestWaitMs = 60_000;

/**
 * The wait in a line of its log, and the reason: … WARN codex_core::responses_retry: … retrying sampling request (1/5
 * in 3599.9s)... … sampling_error=exceeded … … WARN codex_core::responses_retry: … waiting to retry … error=Connection
 * failed: error sending request retry_delay=60s
 */
function readWaiting(line: string, now: number): CliError | null {
  const text = / WARN .*?\bcodex_core::responses_retry: (.*)/.exec(line.slice(0, 8_000))?.[1] ?? "";
  const asked = / \(\d+\/\d+ in ([\d.]{1,20})s\)\.\.\..* sampling_error=(.+)$/.exec(text);
  const offline = /waiting to retry .*\berror=(.+) retry_delay=([\d.]{1,20})s$/.exec(text);
  const waitMs = Math.ceil(Number(asked?.[1] ?? offline?.[2] ?? 0)) * 1_000;
  if (!(waitMs >= longestWaitMs)) return null;
  if (asked !== null) return { ...readError(asked[2] ?? "", now), resetAt: now + waitMs };
  return { message: offline?.[1] ?? "", status: null, type: "connection_failed", resetAt: null };
}

const isRetry = ({ type, message }: JsonObject): boolean =>
  type === "error" && textOf(message)?.startsWith("Reconnecting...") === true;

function openCodexReader(): CliReader {
  const seen = startReport();
  let failure: string | null = null;
  let commands = 0;
  let blocked = 0;
  let blockedBy = "";
  let refused: CliError | null = null;
  const finishItem = (item: JsonObject): void => {
    if (item.type !== "error") seen.worked = true;
    if (item.type === "agent_message") seen.finalText = textOf(item.text) ?? "";
    if (item.type !== "command_execution") return;
    commands += 1;
    const output = textOf(item.aggregated_output) ?? "";
    if (item.status !== "failed" || !output.startsWith("bwrap: ")) return;
    blocked += 1;
    blockedBy = output.slice(0, 500);
  };
  return {
    isRetry,
    errorLine(line, now) {
      const waiting = readWaiting(line, now);
      if (waiting === null) return null;
      refused = waiting;
      return 0;
    },
    event(value) {
      switch (value.type) {
        case "thread.started":
          seen.sessionId = idOf(value.thread_id);
          break;
        case "item.started":
          seen.worked = true;
          // Text before more work was not the answer.
          if (!quietItems.has(asObject(value.item)?.type)) seen.finalText = "";
          break;
        case "item.completed":
          finishItem(asObject(value.item) ?? {});
          break;
        case "error":
          if (isRetry(value)) seen.retries += 1;
          break;
        case "turn.failed":
          failure = textOf(objectAt(value, "error")?.message) ?? "";
          break;
        case "turn.completed":
          seen.tokens = tokensIn(objectAt(value, "usage"));
          seen.ended = true;
          failure = null;
          break;
        default:
      }
    },
    report: (exit) => ({
      ...seen,
      error: failure !== null ? readError(failure, exit.now) : exit.waited === true ? refused : null,
      note: renderNote(exit, { commands, blocked, blockedBy }),
    }),
  };
}

/** A status is the CLI's own only at the beginning: the provider's words follow. */
function readError(message: string, now: number): CliError {
  const status = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/.exec(message)?.[1];
  return { message, status: status === undefined ? null : Number(status), type: null, resetAt: readWait(message, now) };
}

/** If its sandbox cannot work, every command fails, but the turn completes and it exits 0. */
function renderNote(
  { stderrTail }: CliExit,
  seen: { readonly commands: number; readonly blocked: number; readonly blockedBy: string },
): string | null {
  if (seen.blocked > 0 && seen.blocked === seen.commands)
    return `its own sandbox let no command run: ${shorten(seen.blockedBy.trim(), 200)}`;
  // Without its helpers in its own folder, commands do not even appear.
  return seen.commands === 0 && stderrTail.includes("Refusing to create helper binaries under temporary dir")
    ? "its own sandbox lets no command run while CODEX_HOME is in the temporary folder"
    : null;
}
