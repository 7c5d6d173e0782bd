import { fstatSync } from "node:fs";
import { isatty } from "node:tty";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import { errorCode } from "../store/error-code.ts";

/** Standard input, before anything is read from it. */
export interface InputStream {
  /** `text`: a pipe, a socket or a file. `nothing`: it is closed, or a device such as cron's /dev/null. */
  readonly kind: "terminal" | "text" | "nothing";
  /** Everything up to its end; null if nothing at all comes in `silentMs`. Throws if it is more than `maxBytes`. */
  read(limits: ReadLimits): Promise<Buffer | null>;
}

export interface ReadLimits {
  readonly maxBytes: number;
  /** Infinity waits. */
  readonly silentMs: number;
}

/** For a caller that has no standard input. */
export const noInput: InputStream = { kind: "nothing", read: async () => Buffer.alloc(0) };

export function processInput(): InputStream {
  return { kind: kindOf(0), read: (limits) => readToEnd(process.stdin, limits) };
}

function kindOf(descriptor: number): InputStream["kind"] {
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFIFO() || stats.isFile() || stats.isSocket()) return "text";
    return isatty(descriptor) ? "terminal" : "nothing";
  } catch {
    // It was closed before we were started.
    return "nothing";
  }
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
  return new TaskPhaseError("data", [errorFinding("TP_STDIN", `stdin cannot be read: ${problem}`, place)]);
}
