import type { Redactor } from "../text/redact.ts";
import type { CapturedStream } from "./capture.ts";
import type { ProcessIdentity } from "./identity.ts";
import type { ProcessMark } from "./mark.ts";

export interface BoundedSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment, apart from the mark. */
  readonly env: Readonly<Record<string, string>>;
  /** Null: empty. Ends in any case. */
  readonly stdin: string | null;
  readonly timeoutMs: number;
  /** Between TERM and KILL. */
  readonly graceMs: number;
  readonly stdoutPath: string;
  /** May equal stdoutPath: both outputs in one file, in order. `stderr` then counts nothing. */
  readonly stderrPath: string;
  /** For each file. */
  readonly capBytes: number;
  readonly redactor: Redactor;
  readonly mark: ProcessMark;
  readonly abort: AbortSignal | null;
  readonly onStart?: (head: ProcessIdentity) => void;
  /** Receives raw standard output, even what exceeds the cap. A chunk is valid during the call alone. */
  readonly onOutput?: (chunk: Uint8Array) => void;
  /** For standard error, unless both outputs are together. */
  readonly onErrorOutput?: (chunk: Uint8Array) => void;
  /** Sent to the process itself before TERM when its time is up: some programs then print a last word. */
  readonly stopSignal?: "SIGINT" | "SIGTERM";
  /** The process is a sandbox: a request to end goes to the program inside, since both end together. */
  readonly wrapped?: boolean;
  /** Goes into stdoutPath before the output. */
  readonly heading?: string;
  /** Goes into stdoutPath after the output. */
  readonly closing?: (how: BoundedHow) => string;
}

export interface BoundedHow {
  readonly kind: "exited" | "timed_out" | "aborted" | "not_started";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it did not start, or what could not be ended. */
  readonly problem: string | null;
}

export interface BoundedEnd extends BoundedHow {
  readonly durationMs: number;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  /** The end of the output, redacted, at most 64 KiB, from memory instead of the files. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** Killed processes, with the process itself if it did not exit by itself. */
  readonly ended: readonly ProcessIdentity[];
}
