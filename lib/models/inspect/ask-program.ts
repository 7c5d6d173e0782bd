import { join } from "node:path";
import { runBounded } from "../../process/bounded.ts";
import { createMark } from "../../process/mark.ts";
import type { Redactor } from "../../text/redact.ts";
import { makeFolderIn } from "./scratch.ts";

export interface Asking {
  /** Private, and removed by the call. Programs start in it, so that no project's settings count. */
  readonly scratch: string;
  readonly redactor: Redactor;
  readonly abort: AbortSignal | null;
}

export interface Question {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export type Answer =
  | {
      readonly kind: "exited";
      /** Null if a signal ended it. */
      readonly exitCode: number | null;
      /** First 64 KiB, redacted. */
      readonly stdout: string;
      /** Last 64 KiB, redacted. */
      readonly stderr: string;
    }
  | { readonly kind: "timed_out" | "aborted" }
  | { readonly kind: "not_started"; readonly problem: string };

const headBytes = 64 * 1024;
const graceMs = 500;

/** Runs a program once without input, within its time, and ends its whole tree. */
export async function askProgram(asking: Asking, question: Question): Promise<Answer> {
  const folder = makeFolderIn(asking.scratch, "ask-");
  const head: Uint8Array[] = [];
  let bytes = 0;
  const end = await runBounded({
    ...question,
    cwd: asking.scratch,
    stdin: null,
    graceMs,
    stdoutPath: join(folder, "stdout.log"),
    stderrPath: join(folder, "stderr.log"),
    capBytes: headBytes,
    redactor: asking.redactor,
    mark: createMark(folder),
    abort: asking.abort,
    onOutput(chunk) {
      const rest = chunk.subarray(0, Math.max(0, headBytes - bytes));
      if (rest.length > 0) head.push(Buffer.from(rest));
      bytes += chunk.length;
    },
  });
  if (end.kind === "not_started") return { kind: "not_started", problem: end.problem ?? "unknown reason" };
  if (end.kind !== "exited") return { kind: end.kind };
  const stdout = asking.redactor.redact(Buffer.concat(head).toString("utf8"));
  return { kind: "exited", exitCode: end.exitCode, stdout, stderr: end.stderrTail };
}
