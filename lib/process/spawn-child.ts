import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type StdioOptions,
  spawn,
  spawnSync,
} from "node:child_process";
import type { Writable } from "node:stream";
import { noteTool } from "./running-tools.ts";
import { send } from "./send-signal.ts";

export interface ChildCall {
  readonly argv: readonly [program: string, ...words: string[]];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts a program; nothing else in the runner does, apart from `runHelper` and `runOnTerminal`. The program gets a session and a process
 * group of its own: it has no terminal to ask on, a Ctrl-C goes to the runner alone, and all that it starts can be
 * ended with it. Whoever calls this bounds its time and its output.
 */
export function spawnChild(call: ChildCall, stdio: StdioOptions): ChildProcess {
  // Not execa: if the machine has no descriptor left, node returns a child without streams, on which execa fails
  // before it listens, and the child's error ends the runner.
  const [program, ...words] = call.argv;
  return spawn(program, words, { cwd: call.cwd, env: call.env, stdio, detached: true });
}

/** The same for a tool of the runner's own, with a pipe for each stream. */
export function spawnPiped({ argv: [program, ...words], cwd, env }: ChildCall): ChildProcessWithoutNullStreams {
  const child = spawn(program, words, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  noteTool(child, child.pid);
  return child;
}

/** The same for one that waits at its standard input, and says nothing. */
export function spawnWaiting({ argv: [program, ...words], cwd, env }: ChildCall): ChildProcess & { stdin: Writable } {
  const child = spawn(program, words, { cwd, env, stdio: ["pipe", "ignore", "ignore"], detached: true });
  noteTool(child, child.pid);
  return child;
}

/** The same for a process of this program that talks to this one over a channel, and tells people on its own. */
export function spawnTalking({ argv: [program, ...words], cwd, env }: ChildCall): ChildProcess {
  const stdio: StdioOptions = ["ignore", "ignore", "inherit", "ipc"];
  return spawn(program, words, { cwd, env, stdio, detached: true, serialization: "advanced" });
}

/** Why a child did not start. */
export function explainStart(error: Error, { argv: [program], cwd }: ChildCall): string {
  // The system says the same of a program and of a folder that is not there.
  const missing = "code" in error && error.code === "ENOENT";
  return missing ? `${program} is not on the PATH, or ${cwd} is gone` : error.message;
}

/** Kills a child with its whole group; nothing happens if it has ended. */
export function killChild({ pid }: ChildProcess): void {
  if (pid !== undefined) send(-pid, "SIGKILL");
}

/** The time limit of a helper that is known to end quickly. */
const helperMs = 10_000;

/** Waits for a small program of the system that ends in a moment, and says null if it did well; else why not. */
export function runHelper(program: string, words: readonly string[]): string | null {
  const end = spawnSync(program, words, {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    timeout: helperMs,
    killSignal: "SIGKILL",
  });
  if (end.status === 0) return null;
  return end.error?.message ?? (end.stderr.trim() || `it ended with ${end.status ?? end.signal}`);
}

/**
 * Hands the terminal to a person's own program, such as an editor, until it ends; null if it ended well, else why not.
 * It is theirs to end, so its time has no limit.
 */
export function runOnTerminal({ argv: [program, ...words], cwd, env }: ChildCall): string | null {
  const end = spawnSync(program, words, { cwd, env, stdio: "inherit" });
  return end.status === 0 ? null : (end.error?.message ?? `it ended with ${end.status ?? end.signal}`);
}
