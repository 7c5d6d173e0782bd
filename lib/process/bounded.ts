import { setTimeout as sleep } from "node:timers/promises";
import { runWithCleanUp } from "../text/errors.ts";
import type { BoundedEnd, BoundedHow, BoundedSpec } from "./bounded-spec.ts";
import { findInside } from "./bwrap.ts";
import { type Capture, openCapture } from "./capture.ts";
import { watchDescendants } from "./descendants.ts";
import { killForMs } from "./grace.ts";
import type { ProcessIdentity } from "./identity.ts";
import { type Output, untilQuiet } from "./output.ts";
import { send } from "./send-signal.ts";
import { type NotStarted, type StartedProcess, startProcess } from "./start-process.ts";
import { containment, type Ending, endTree } from "./survivors.ts";

/** Children may write this long after the exit, but not beyond the grace. */
const lastWordsMs = 2_000;
/** Longer delays overflow Node's timers and fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs a process within its time, then ends its whole tree, as far as `containment()` reaches. Output goes to the
 * files, redacted and capped, in bounded memory. The way it ends is a fact in the result; throws only for the disk,
 * after the tree has ended.
 */
export async function runBounded(spec: BoundedSpec): Promise<BoundedEnd> {
  const startedAt = performance.now();
  const together = spec.stdoutPath === spec.stderrPath;
  const out = openCapture(spec.stdoutPath, spec.capBytes, spec.redactor);
  const error = together ? null : openCapture(spec.stderrPath, spec.capBytes, spec.redactor);
  if (spec.heading !== undefined) out.remark(spec.heading);
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
  let seen = 0;
  const pour = (output: Output, take: (chunk: Uint8Array) => void): Promise<void> =>
    output.read((chunk) => {
      seen += chunk.length;
      take(chunk);
    });
  const drained = Promise.all([
    pour(started.outputs[0], (chunk) => {
      out.write(chunk);
      spec.onOutput?.(chunk);
    }),
    started.outputs[1] === started.outputs[0]
      ? null
      : pour(started.outputs[1], (chunk) => {
          error.write(chunk);
          spec.onErrorOutput?.(chunk);
        }),
  ]);
  const stop = new AbortController();
  const sooner = waitForReason(spec, [out, error], stop.signal);
  let ending: Ending = { ended: [], left: [] };
  let kind: "exited" | "timed_out" | "aborted" = "aborted";
  const wait = async (): Promise<void> => {
    spec.onStart?.(started.head);
    kind = await Promise.race([started.exited.then(() => "exited" as const), sooner]);
    watch.scan();
    if (kind === "timed_out" && spec.stopSignal === "SIGINT") await askToStop(spec, started);
    if (kind === "exited")
      await Promise.race([drained, sooner, rest(Math.min(lastWordsMs, spec.graceMs), stop.signal)]);
  };
  // Even if onStart threw: end the whole tree.
  await runWithCleanUp(wait, async () => {
    try {
      watch.scan();
      ending = await endAll(spec, started.head, watch.noted());
    } finally {
      watch.stop();
      // Processes that could not be ended may keep the pipes open.
      await Promise.race([drained, untilQuiet(() => seen)]);
      stop.abort();
      for (const output of started.outputs) output.destroy();
    }
  });
  const exit = await Promise.race([started.exited, sleep(1_000, { exitCode: null, signal: null }, { ref: false })]);
  const left = ending.left.map((one) => `${one.command} (${one.pid})`).join(", ");
  return { how: { kind, ...exit, problem: left === "" ? null : `could not be ended: ${left}` }, ended: ending.ended };
}

/** Interrupts the process itself, and waits for its last word within the grace. */
async function askToStop(spec: BoundedSpec, started: StartedProcess): Promise<void> {
  const asked = spec.wrapped === true ? (findInside(started.head) ?? started.head.pid) : started.head.pid;
  if (send(asked, "SIGINT") === "gone") return;
  const stop = new AbortController();
  await Promise.race([started.exited, rest(spec.graceMs, stop.signal)]);
  stop.abort();
}

async function endAll(spec: BoundedSpec, head: ProcessIdentity, noted: readonly ProcessIdentity[]): Promise<Ending> {
  if (containment() === "proc") return endTree(spec.mark, noted, spec.graceMs, { spared: spec.wrapped ? head : null });
  return (await endGroup(head.pid, spec.graceMs)) ? { ended: [], left: [] } : { ended: [], left: [head] };
}

/** Resolves when the process must be ended. A full disk counts as an abort: nothing could be kept. */
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

async function rest(ms: number, stop: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stop }).catch(() => undefined);
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

const lookEveryMs = 20;

/** Without /proc. Does not reach children that left the group, as `containment()` says. True if it is gone. */
export async function endGroup(group: number, graceMs: number): Promise<boolean> {
  if (send(-group, "SIGTERM") === "gone") return true;
  send(-group, "SIGCONT");
  if (await isGone(group, graceMs)) return true;
  send(-group, "SIGKILL");
  return isGone(group, killForMs);
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (send(-group, 0) !== "gone") {
    if (performance.now() >= end) return false;
    await sleep(lookEveryMs);
  }
  return true;
}
