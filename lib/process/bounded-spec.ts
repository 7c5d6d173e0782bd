import type { Redactor } from "../text/redact.ts";
import type { CapturedStream } from "./capture.ts";
import type { ProcessIdentity } from "./identity.ts";
import type { ProcessMark } from "./mark.ts";

/** What a bounded process is given. */
export interface BoundedSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment; only the mark is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Null: standard input is empty. It ends in any case. */
  readonly stdin: string | null;
  readonly timeoutMs: number;
  /** Between TERM and KILL. */
  readonly graceMs: number;
  readonly stdoutPath: string;
  /** The same as stdoutPath: both outputs in one file, in the order they came. `stderr` then counts nothing. */
  readonly stderrPath: string;
  /** For each file. */
  readonly capBytes: number;
  readonly redactor: Redactor;
  readonly mark: ProcessMark;
  readonly abort: AbortSignal | null;
  readonly onStart?: (head: ProcessIdentity) => void;
  /**
   * Given standard output as it comes, raw and whole: what the file lost to its cap is still seen here. A chunk holds
   * during the call alone.
   */
  readonly onOutput?: (chunk: Uint8Array) => void;
  /** The same for standard error, if it is not together with standard output. */
  readonly onErrorOutput?: (chunk: Uint8Array) => void;
  /** Given to the process itself when its time is up, before TERM: some programs say their last word on it. */
  readonly stopSignal?: "SIGINT" | "SIGTERM";
  /**
   * The started process is a sandbox around the program; a request to end goes to the program, since both end together.
   */
  readonly wrapped?: boolean;
  /** Stands in stdoutPath before the output. */
  readonly heading?: string;
  /** Stands in stdoutPath after the output. */
  readonly closing?: (how: BoundedHow) => string;
}

/** How a process ended. */
export interface BoundedHow {
  readonly kind: "exited" | "timed_out" | "aborted" | "not_started";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it did not start, or what could not be ended; null if there is nothing to say. */
  readonly problem: string | null;
}

export interface BoundedEnd extends BoundedHow {
  readonly durationMs: number;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  /** The last output, redacted, at most 64 KiB: taken from memory, not from the files. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** The processes that were killed, including the process itself if it did not exit by itself. */
  readonly ended: readonly ProcessIdentity[];
}
