import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBounded } from "../../process/bounded.ts";
import type { BoundedSpec } from "../../process/bounded-spec.ts";
import { createMark } from "../../process/mark.ts";
import { storing } from "../../store/error-code.ts";
import { orElse } from "../../text/attempt.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import type { Redactor } from "../../text/redact.ts";

export interface Asking {
  /** Private, and removed by the call. Programs start in it, so that no project's settings count. */
  readonly scratch: string;
  readonly redactor: Redactor;
  readonly abort: AbortSignal | null;
}

export type Answer =
  | {
      readonly kind: "exited";
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
export async function askProgram(
  asking: Asking,
  question: Pick<BoundedSpec, "argv" | "env" | "timeoutMs">,
): Promise<Answer> {
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

/** Gives the work an empty folder, mode 0700, and removes it; a warning if it cannot. Throws TP_DISK. */
export async function inScratch<Value>(
  work: (folder: string) => Promise<Value>,
  remove: (folder: string) => boolean = removeFolder,
): Promise<{ readonly value: Value; readonly findings: readonly Finding[] }> {
  const folder = makeFolderIn(tmpdir(), "task-phase-scratch-");
  let removed = false;
  let value: Value;
  try {
    value = await work(folder);
  } finally {
    removed = remove(folder);
  }
  return { value, findings: removed ? [] : [leftFolder(folder)] };
}

function leftFolder(folder: string): Finding {
  return warningFinding("TP_SCRATCH_LEFT", "a program left files here that could not be removed", {
    file: folder,
    fix: "remove that folder",
  });
}

/** An empty folder, mode 0700. Throws TP_DISK. */
export function makeFolderIn(folder: string, prefix: string): string {
  return storing("make a folder in", folder, () => mkdtempSync(join(folder, prefix)));
}

/** Promise.all that settles all work before it fails. */
export async function runAll<Value>(work: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

export function removeFolder(folder: string): boolean {
  return orElse(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
    return true;
  }, false);
}
