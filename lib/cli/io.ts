import { fstatSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isatty } from "node:tty";
import { errorCode } from "../store/error-code.ts";
import { orElse } from "../text/attempt.ts";
import { dataError, type TaskPhaseError, usageError } from "../text/errors.ts";
import { Moment } from "../text/moment.ts";
import { waitFor } from "../text/wait-for.ts";

/** The output of a command. A Node stream fits; so does a list in a test. */
export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  once?(event: "drain" | "error" | "close", listener: () => void): unknown;
  off?(event: "drain" | "error" | "close", listener: () => void): unknown;
}

/** At the bottom of a terminal: one line, or several; null: none. */
export type LiveText = string | readonly string[] | null;

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
    now: () => new Moment(),
    sleep: waitFor,
  };
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

/** The person's home: HOME if it is an absolute path, else the one in the system's list of users. Absolute. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME !== undefined && path.isAbsolute(env.HOME) ? env.HOME : listedHome();
}

/** `os.homedir` takes an empty or relative HOME. A user who is in no list has `/`, as in containers. */
function listedHome(): string {
  const home = orElse(() => os.userInfo().homedir, "/");
  return path.isAbsolute(home) ? home : "/";
}

export interface InputStream {
  /** `text`: a pipe, a socket or a file. `nothing`: it is closed, or a device such as cron's /dev/null. */
  readonly kind: "terminal" | "text" | "nothing";
  /** Everything up to its end; null if nothing at all comes in `silentMs`. Throws if it is more than `maxBytes`. */
  read(limits: ReadLimits): Promise<Buffer | null>;
  /** Of a terminal: shows the question on stderr, and gives what a person types until Enter, or nothing at the end. */
  line?(question: string): Promise<string>;
}

interface ReadLimits {
  readonly maxBytes: number;
  /** Infinity waits. */
  readonly silentMs: number;
}

/** For a caller that has no standard input. */
export const noInput: InputStream = { kind: "nothing", read: async () => Buffer.alloc(0) };

function processInput(): InputStream {
  return {
    kind: kindOf(0),
    read: (limits) => readToEnd(process.stdin, limits),
    line: (question) => askLine(question, process.stdin),
  };
}

function askLine(question: string, stream: NodeJS.ReadStream): Promise<string> {
  process.stderr.write(question);
  return new Promise((resolve) => {
    const end = (text: string) => {
      stream.removeAllListeners("data").removeAllListeners("end").destroy();
      resolve(text);
    };
    stream.once("data", (chunk) => end(String(chunk)));
    stream.once("end", () => end(""));
  });
}

function kindOf(descriptor: number): InputStream["kind"] {
  return orElse(() => {
    const stats = fstatSync(descriptor);
    if (stats.isFIFO() || stats.isFile() || stats.isSocket()) return "text";
    return isatty(descriptor) ? "terminal" : "nothing";
    // It was closed before we were started.
  }, "nothing");
}

export function readToEnd(
  stream: NodeJS.ReadStream | NodeJS.ReadableStream,
  limits: ReadLimits,
): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const timer =
      limits.silentMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => end(null), limits.silentMs);
    const end = (result: Buffer | null | Error) => {
      clearTimeout(timer);
      stream.removeAllListeners("data").removeAllListeners("end");
      // A pipe that stays open would keep the program alive.
      if ("destroy" in stream) stream.destroy();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    stream.on("data", (chunk: Buffer | string) => {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > limits.maxBytes) end(unreadable(`it has more than ${limits.maxBytes} bytes`));
    });
    stream.on("end", () => end(Buffer.concat(chunks)));
    stream.on("error", (error) => end(unreadable(`the system reports ${errorCode(error)}`)));
  });
}

function unreadable(problem: string): TaskPhaseError {
  const place = { fix: "give a smaller text, or a file with --brief FILE" };
  return dataError("TP_STDIN", `stdin cannot be read: ${problem}`, place);
}
