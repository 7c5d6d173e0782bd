import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type StdioOptions,
  spawn,
  spawnSync,
} from "node:child_process";
import { PassThrough, Readable, type Writable } from "node:stream";
import { addTool } from "./running-tools.ts";
import { send } from "./send-signal.ts";

export interface ChildCall {
  readonly argv: readonly [program: string, ...words: string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts all programs of the runner but those of `runHelper` and `runOnTerminal`. A session and group of its own: no
 * terminal to ask on, Ctrl-C reaches the runner alone, and all it starts can be ended with it. The caller bounds time
 * and output.
 */
export function spawnChild(call: ChildCall, stdio: StdioOptions): ChildProcess {
  // Not execa: on a child without streams it fails before it listens; the child's error then ends the runner.
  const [program, ...words] = call.argv;
  return spawn(program, words, { cwd: call.cwd, env: call.env, stdio, detached: true });
}

/** For a tool, with a pipe for each stream. */
export function spawnPiped({ argv: [program, ...words], cwd, env }: ChildCall): ChildProcessWithoutNullStreams {
  const child = withStreams(spawn(program, words, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true }));
  addTool(child, child.pid);
  return child;
}

/** For a silent one that waits at its standard input. */
export function spawnWaiting({ argv: [program, ...words], cwd, env }: ChildCall): ChildProcess & { stdin: Writable } {
  const child = withStreams(spawn(program, words, { cwd, env, stdio: ["pipe", "ignore", "ignore"], detached: true }));
  addTool(child, child.pid);
  return child;
}

/** Without a free descriptor, node returns a child without streams, whose error comes later: here they are at their end. */
function withStreams<Child extends ChildProcess>(child: Child): Child {
  if (child.stdin === undefined)
    Object.assign(child, { stdin: new PassThrough().resume(), stdout: Readable.from([]), stderr: Readable.from([]) });
  return child;
}

/** For a process of this program, with a message channel and inherited output. */
export function spawnTalking({ argv: [program, ...words], cwd, env }: ChildCall): ChildProcess {
  const stdio: StdioOptions = ["ignore", "ignore", "inherit", "ipc"];
  return spawn(program, words, { cwd, env, stdio, detached: true, serialization: "advanced" });
}

export function explainStart(error: Error, { argv: [program], cwd }: ChildCall): string {
  // The system reports a missing program and a missing folder alike.
  const missing = "code" in error && error.code === "ENOENT";
  return missing ? `${program} is not on the PATH, or ${cwd} is gone` : error.message;
}

/** With its group; does nothing if it has ended. */
export function killChild({ pid }: ChildProcess): void {
  if (pid !== undefined) send(-pid, "SIGKILL");
}

const helperMs = 10_000;

/** Waits for a small system program; null on success, else the reason. */
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
 * Lends the terminal to a person's program, such as an editor, without a time limit; null on success, else the reason.
 */
export function runOnTerminal({ argv: [program, ...words], cwd, env }: ChildCall): string | null {
  const end = spawnSync(program, words, { cwd, env, stdio: "inherit" });
  return end.status === 0 ? null : (end.error?.message ?? `it ended with ${end.status ?? end.signal}`);
}
