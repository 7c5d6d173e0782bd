import { spawn } from "node:child_process";
import { errorCode } from "../store/error-code.ts";

export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** What is kept of each output; a call that says more on standard output is ended. */
  readonly maxBytes: number;
  readonly input?: Buffer;
  readonly signal?: AbortSignal | null;
}

export interface GitEnd {
  /** Null if git did not start, or was ended. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  /** Standard error, or why git did not end by itself. */
  readonly said: string;
}

/**
 * After its exit the outputs are read to their end, unless a helper that stayed behind holds them. All that git wrote is
 * in the pipes then; but this process may not come to read it for as long as the machine is busy, so time alone ends
 * nothing.
 */
const patienceMs = 500;

/**
 * Runs git in a session of its own: it has no terminal to ask on, and whatever it started is ended with it when its
 * time is up, its output is too long, or the signal comes. How it ends is a fact in the result.
 */
export function startGit(call: GitCall): Promise<GitEnd> {
  return new Promise((settle) => {
    if (call.signal?.aborted === true) {
      settle({ exitCode: null, stdout: Buffer.alloc(0), said: "stopped by a signal" });
      return;
    }
    const { cwd, env, args } = call;
    const child = spawn("git", args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    const [out, said] = [keeper(call.maxBytes), keeper(call.maxBytes)];
    let ended: string | null = null;
    let isSettled = false;
    const end = (why: string): void => {
      ended ??= why;
      endGroup(child.pid);
    };
    const onAbort = (): void => end("stopped by a signal");
    const timer = setTimeout(() => end(`it did not end within ${call.timeoutMs / 1000} s`), call.timeoutMs);
    call.signal?.addEventListener("abort", onAbort, { once: true });
    const finish = (exitCode: number | null, failure: string | null): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      const problem = ended ?? failure;
      settle({
        exitCode: problem === null ? exitCode : null,
        stdout: out.bytes(),
        said: problem ?? said.bytes().toString("utf8").trim(),
      });
    };
    child.stdout.on("data", (chunk: Buffer) => {
      if (!out.keep(chunk)) end(`it said more than ${call.maxBytes} bytes`);
    });
    child.stderr.on("data", (chunk: Buffer) => said.keep(chunk));
    // A write to a process that has ended already; how it ended is what counts.
    child.stdin.on("error", () => undefined);
    child.stdin.end(call.input ?? Buffer.alloc(0));
    child.on("error", (error) => finish(null, sayStart(error, cwd)));
    child.on("exit", (code) => {
      const patience = setTimeout(() => whenQuiet([out, said], () => finish(code, null)), patienceMs);
      child.on("close", () => {
        clearTimeout(patience);
        finish(code, null);
      });
    });
  });
}

/** Calls back after a whole turn of the event loop, which reads what is in the pipes, brought nothing more. */
function whenQuiet(keepers: readonly Keeper[], act: () => void): void {
  const length = (): number => keepers.reduce((sum, one) => sum + one.seen(), 0);
  const look = (before: number): void => {
    // The pipes are read between two of these.
    setImmediate(() => setImmediate(() => (length() === before ? act() : look(length()))));
  };
  look(length());
}

function sayStart(error: Error, cwd: string): string {
  return errorCode(error) === "ENOENT" ? `git is not on the PATH, or ${cwd} is gone` : error.message;
}

interface Keeper {
  readonly keep: (chunk: Buffer) => boolean;
  readonly seen: () => number;
  readonly bytes: () => Buffer;
}

function keeper(maxBytes: number): Keeper {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    seen: () => length,
    /** False if there is no more room; the chunk is dropped. */
    keep: (chunk: Buffer): boolean => {
      if (length + chunk.length > maxBytes) return false;
      chunks.push(chunk);
      length += chunk.length;
      return true;
    },
    bytes: (): Buffer => Buffer.concat(chunks),
  };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended by itself in this moment.
  }
}
