import { setTimeout as sleep } from "node:timers/promises";
import { keepFirst } from "../report/keep-first.ts";
import type { Redactor } from "../text/redact.ts";
import { findInside } from "./bwrap.ts";
import { type Capture, type CapturedStream, openCapture } from "./capture.ts";
import { watchDescendants } from "./descendants.ts";
import { endGroup } from "./end-group.ts";
import type { ProcessIdentity } from "./identity.ts";
import type { ProcessMark } from "./mark.ts";
import { send } from "./send-signal.ts";
import { type NotStarted, type StartedProcess, startProcess } from "./start-process.ts";
import { containment, type Ending, endTree } from "./survivors.ts";

export type { CapturedStream } from "./capture.ts";

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
  /** Given standard output as it comes, raw and whole: what the file lost to its cap is still seen here. */
  readonly onOutput?: (chunk: Uint8Array) => void;
  /** Given to the process itself when its time is up, before TERM: some programs say their last word on it. */
  readonly stopSignal?: "SIGINT" | "SIGTERM";
  /** What is started is a sandbox around the program: who asks to end asks the program, since both end together. */
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
  /** Why it did not start, or what could not be ended; null where there is nothing to say. */
  readonly problem: string | null;
}

export interface BoundedEnd extends BoundedHow {
  readonly durationMs: number;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  /** The last output, redacted, at most 64 KiB: taken from memory, not from the files. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** What was ended by force, the process itself included where it did not exit by itself. */
  readonly ended: readonly ProcessIdentity[];
}

/** After the exit, output may still be on its way; a grandchild that holds the pipe must not hold us. */
const drainMs = 2_000;
/** Longer delays overflow Node's timers and fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs one process to its end, within its time, and ends its whole tree: nothing of it lives when this returns, as far
 * as `containment()` reaches. Output goes to the files, redacted and capped, with memory that does not grow. How the
 * process ends is a fact in the result; thrown is only an error of the disk, after the tree has ended.
 */
export async function runBounded(spec: BoundedSpec): Promise<BoundedEnd> {
  const startedAt = performance.now();
  const together = spec.stdoutPath === spec.stderrPath;
  const out = openCapture(spec.stdoutPath, spec.capBytes, spec.redactor);
  const error = together ? null : openCapture(spec.stderrPath, spec.capBytes, spec.redactor);
  if (spec.heading !== undefined) out.remark(spec.heading);
  // Without a place for its output the process is not even started.
  if (out.failed() || error?.failed()) closeAll([out, error]);
  const run = await runToEnd(spec, together, out, error ?? out).catch((failure: unknown) => {
    closeQuietly([out, error]);
    throw failure;
  });
  const stdout = out.end();
  const stderr = error?.end() ?? { bytes: 0, keptBytes: 0, cut: false };
  if (spec.closing !== undefined) out.remark(spec.closing(run.how));
  closeAll([out, error]);
  return {
    ...run.how,
    durationMs: Math.round(performance.now() - startedAt),
    stdout,
    stderr,
    stdoutTail: out.tail(),
    stderrTail: error?.tail() ?? "",
    ended: run.ended.map((one) => ({ ...one, command: spec.redactor.redact(one.command) })),
  };
}

interface Run {
  readonly how: BoundedHow;
  readonly ended: readonly ProcessIdentity[];
}

async function runToEnd(spec: BoundedSpec, together: boolean, out: Capture, error: Capture): Promise<Run> {
  const nothing = { exitCode: null, signal: null, problem: null };
  if (spec.abort?.aborted) return { how: { kind: "aborted", ...nothing }, ended: [] };
  const started: StartedProcess | NotStarted = await startProcess({ ...spec, together });
  if (started.kind === "not_started") return { how: { ...nothing, ...started }, ended: [] };

  const watch = watchDescendants(started.head);
  const drained = Promise.all([
    pour(started.outputs[0], out, spec.onOutput),
    started.outputs[1] === started.outputs[0] ? null : pour(started.outputs[1], error),
  ]);
  const stop = new AbortController();
  const sooner = waitForReason(spec, [out, error], stop.signal);
  let ending: Ending = { ended: [], left: [] };
  let kind: "exited" | "timed_out" | "aborted" = "aborted";
  const wait = async (): Promise<void> => {
    spec.onStart?.(started.head);
    kind = await Promise.race([started.exited.then(() => "exited" as const), sooner]);
    watch.look();
    if (kind === "timed_out" && spec.stopSignal === "SIGINT") await askToStop(spec, started);
    if (kind === "exited") await Promise.race([drained, sooner, rest(Math.min(drainMs, spec.graceMs), stop.signal)]);
  };
  // In any case, also where onStart threw: nothing of the tree may stay behind.
  await keepFirst(wait, async () => {
    try {
      watch.look();
      ending = await endAll(spec, started.head, watch.noted());
    } finally {
      watch.stop();
      await Promise.race([drained, rest(drainMs, stop.signal)]);
      stop.abort();
      for (const stream of started.outputs) stream.destroy();
    }
  });
  const exit = await Promise.race([started.exited, sleep(1_000, { exitCode: null, signal: null }, { ref: false })]);
  const left = ending.left.map((one) => `${one.command} (${one.pid})`).join(", ");
  return { how: { kind, ...exit, problem: left === "" ? null : `could not be ended: ${left}` }, ended: ending.ended };
}

/** Interrupts the process itself and lets it say its last word, within the grace. */
async function askToStop(spec: BoundedSpec, started: StartedProcess): Promise<void> {
  const asked = spec.wrapped === true ? (findInside(started.head) ?? started.head.pid) : started.head.pid;
  if (send(asked, "SIGINT") === "gone") return;
  const stop = new AbortController();
  await Promise.race([started.exited, rest(spec.graceMs, stop.signal)]);
  stop.abort();
}

async function endAll(spec: BoundedSpec, head: ProcessIdentity, noted: readonly ProcessIdentity[]): Promise<Ending> {
  if (containment() === "proc") return endTree(spec.mark, noted, spec.graceMs, spec.wrapped ? head : null);
  return (await endGroup(head.pid, spec.graceMs)) ? { ended: [], left: [] } : { ended: [], left: [head] };
}

/** Resolves when the process must be ended before it ends itself. A full disk counts as an abort: nothing can be kept. */
async function waitForReason(
  spec: BoundedSpec,
  captures: readonly Capture[],
  stop: AbortSignal,
): Promise<"timed_out" | "aborted"> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("timed_out"), Math.min(spec.timeoutMs, longestTimerMs));
    const disk = setInterval(() => captures.some((capture) => capture.failed()) && resolve("aborted"), 100);
    const onAbort = (): void => resolve("aborted");
    spec.abort?.addEventListener("abort", onAbort);
    stop.addEventListener("abort", () => {
      clearTimeout(timer);
      clearInterval(disk);
      spec.abort?.removeEventListener("abort", onAbort);
    });
    if (spec.abort?.aborted) onAbort();
  });
}

/** A pause that ends early without a word when it is no longer needed. */
async function rest(ms: number, stop: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stop }).catch(() => undefined);
}

function pour(
  stream: NodeJS.ReadableStream,
  capture: Capture,
  show: ((chunk: Uint8Array) => void) | undefined = undefined,
): Promise<void> {
  return new Promise((resolve) => {
    stream.on("data", (chunk: Uint8Array) => {
      capture.write(chunk);
      show?.(chunk);
    });
    // An error of the pipe ends the output, and no more: what came until then is kept.
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
  });
}

/** Closes each, then throws the first error. */
function closeAll(captures: readonly (Capture | null)[]): void {
  const failures = closeQuietly(captures);
  if (failures.length > 0) throw failures[0];
}

function closeQuietly(captures: readonly (Capture | null)[]): unknown[] {
  return captures.flatMap((capture) => {
    try {
      capture?.close();
      return [];
    } catch (failure) {
      return [failure];
    }
  });
}
