import { rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { statEntry } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readText } from "../store/read-file.ts";
import { namesIn, openPrivateFolder } from "../store/state-home.ts";
import { formatDuration } from "../text/duration.ts";
import { TaskPhaseError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { sha256 } from "../text/sha256.ts";
import { readShape } from "../text/shape.ts";

/** What a hook needs to know of a proof; a part of `prove --json`. */
export interface HookProof {
  readonly exitName: ExitName;
  readonly headline: string;
  readonly failing: readonly { readonly failed_before: boolean; readonly log: string }[];
  readonly watched: readonly { readonly name: string; readonly detail: string; readonly asks: boolean }[];
  readonly old_failing: readonly { readonly check: string; readonly said: string | null; readonly log: string }[];
}

export interface HookPorts {
  /** Proves the change of the repo around a folder, made since then if that is known. Null after a signal. May throw. */
  readonly prove: (folder: string, since: Date | null, signal: AbortSignal) => Promise<HookProof | null>;
  /** A folder for this user's counts of sessions; made if it is missing. */
  readonly counts: string;
  /** How long a proof may take before the session is let go. */
  readonly limitMs: number;
  readonly now: () => Date;
}

export interface HookAnswer {
  /** One line of JSON for the agent CLI; null says nothing, and lets the session end. */
  readonly stdout: string | null;
  /** For a person who looks into the log of hooks; null: nothing. */
  readonly stderr: string | null;
}

/**
 * What Claude Code and Codex write to a Stop hook, as far as it matters here, and both read the same answer. Claude Code:
 * code.claude.com/docs/en/hooks; Codex: `stop.command.input.schema.json` of its repository.
 */
const stopShape = v.object({
  hook_event_name: v.string(),
  cwd: v.string(),
  session_id: v.optional(v.string(), ""),
  stop_hook_active: v.optional(v.boolean(), false),
  permission_mode: v.optional(v.string(), "default"),
  transcript_path: v.nullish(v.string()),
});
type Stop = v.InferOutput<typeof stopShape>;

const mostSends = 3;
const keptMs = 7 * 24 * 3600 * 1000;
const nothing: HookAnswer = { stdout: null, stderr: null };

/**
 * Sends a session back whose change fails its checks or weakened its tests, at most three times, and lets every other one
 * end. It never throws and never traps a session: an error of ours lets it end too, with a word on stderr.
 */
export async function answerStop(input: () => Promise<Buffer | null>, ports: HookPorts): Promise<HookAnswer> {
  try {
    const read = readShape(stopShape, (await input()) ?? "");
    if (read.kind === "wrong") return pass(`expected the JSON of a Stop hook on standard input: ${read.problem}`);
    const stop = read.value;
    // A subagent's work is judged with that of its session, and a plan changes no code.
    if (stop.hook_event_name !== "Stop" || stop.permission_mode === "plan") return nothing;
    return await judge(stop, ports);
  } catch (error) {
    return pass(error instanceof TaskPhaseError ? error.message : String(error));
  }
}

function pass(problem: string): HookAnswer {
  return { stdout: null, stderr: `task-phase prove --hook: ${problem}; the session was let go` };
}

async function judge(stop: Stop, ports: HookPorts): Promise<HookAnswer> {
  const late = AbortSignal.timeout(ports.limitMs);
  const ended = new Promise<"late">((resolve) => late.addEventListener("abort", () => resolve("late")));
  // What it still does then, its signal ends.
  const proof = await Promise.race([ports.prove(stop.cwd, startOf(stop), late), ended]);
  if (proof === "late") return remark(`not judged: the checks take longer than ${formatDuration(ports.limitMs)}`);
  if (proof === null || proof.exitName === "ok") return nothing;
  const why = renderProof(proof);
  if (!isHeld(proof)) return remark(why);
  const sends = countSend(stop, ports);
  if (sends > mostSends) return remark(`the session ended, and this stands: ${why}`);
  const ask = "Repair it, or tell the person what stands in the way";
  const reason = `task-phase prove: ${why}. ${ask} (sent back ${sends} of ${mostSends} times)`;
  return { stdout: JSON.stringify({ decision: "block", reason }), stderr: null };
}

/** Both programs begin the file of a session with it. */
function startOf({ transcript_path: path }: Stop): Date | null {
  const bornMs = path ? (statEntry(path)?.birthtimeMs ?? 0) : 0;
  return bornMs === 0 ? null : new Date(bornMs);
}

function remark(text: string): HookAnswer {
  return { stdout: JSON.stringify({ systemMessage: `task-phase prove: ${text}` }), stderr: null };
}

/** Whatever failed in the same way before the change is not this session's. */
function isHeld({ exitName, failing }: HookProof): boolean {
  if (exitName === "needs_user_decision") return true;
  return exitName === "rejected" && (failing.length === 0 || failing.some((check) => !check.failed_before));
}

function renderProof({ exitName, headline, failing, watched, old_failing }: HookProof): string {
  if (exitName !== "needs_user_decision") return [headline, ...failing.map(({ log }) => `see ${log}`)].join("; ");
  const names = watched
    .filter((change) => change.asks)
    .map(({ name, detail }) => (detail === "" ? name : `${name} (${detail})`));
  const fails = old_failing.map(({ check, said, log }) => `${said === null ? check : `${check}: ${said}`}; see ${log}`);
  const before = fails.length === 0 ? "" : `; with what they were before the change, this fails: ${fails.join("; ")}`;
  return `tests or checks changed so that a person has to look: ${names.join(", ")}${before}`;
}

/**
 * The number of this send, counted before the session is sent back: if it cannot be counted, the session is let go. Without
 * an id, what the CLI itself says is enough for one.
 */
function countSend({ session_id: session, stop_hook_active: isBack }: Stop, { counts, now }: HookPorts): number {
  if (session === "") return isBack ? mostSends + 1 : 1;
  openPrivateFolder(counts);
  const file = join(counts, sha256(session));
  const sends = Number(readText(file, 10) ?? 0) + 1;
  // A damaged count, too, must not send back for ever.
  if (!(sends <= mostSends)) return mostSends + 1;
  if (sends === 1) forgetOld(counts, now().getTime() - keptMs);
  putFile(file, String(sends), { mode: 0o600, durable: false });
  return sends;
}

function forgetOld(folder: string, beforeMs: number): void {
  for (const path of namesIn(folder).map((name) => join(folder, name))) {
    const stats = statEntry(path);
    if (stats?.isFile() === true && stats.mtimeMs < beforeMs) rmSync(path, { force: true });
  }
}
