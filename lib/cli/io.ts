import os from "node:os";
import path from "node:path";
import { usageError } from "../report/errors.ts";
import { type InputStream, processInput } from "./stdin.ts";

/** The output of a command. A Node stream fits; so does a list in a test. */
export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  once?(event: "drain" | "error" | "close", listener: () => void): unknown;
  off?(event: "drain" | "error" | "close", listener: () => void): unknown;
}

/** The world outside, injected: streams, environment, folder and clock. */
export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Without it there is nothing to read. */
  readonly stdin?: InputStream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  now(): Date;
  /** Resolves after this long, or as soon as the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The world of this process. */
export function processIo(): Io {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    // Looked up when it is needed, as the folder is: few commands read it.
    get stdin() {
      return processInput();
    },
    env: process.env,
    // Help and version do without it.
    get cwd() {
      return presentFolder();
    },
    now: () => new Date(),
    sleep,
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

function presentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw usageError("TP_USAGE_NO_CWD", "the current directory was deleted", {
      fix: "change to an existing directory",
    });
  }
}

/** The person's home: HOME if it is an absolute path, else what the system says. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME !== undefined && path.isAbsolute(env.HOME) ? env.HOME : os.homedir();
}
