import { chmodSync, constants, copyFileSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { type Capture, openCapture } from "../../process/capture.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { orElse } from "../../text/attempt.ts";
import { diskError } from "../../text/errors.ts";
import { finalTextOf } from "../../text/telling-line.ts";
import { defaultCapBytes, type ModelOutcome, type ModelRun, withWords } from "./model-run.ts";
import { costOf, type ModelUsage, readUsage, unknownUsage } from "./usage.ts";

const maxOutputBytes = 64 * 1024 * 1024;

/** All of it is read before anything is written. */
interface Recording {
  readonly steps: readonly OverlayStep[];
  readonly output: Buffer;
  readonly exitCode: number;
  readonly usage: ModelUsage;
}

export function listRecordings(folder: string): string[] {
  return orElse(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory() && /^\d+$/.test(entry.name))
    .map((entry) => entry.name)
    .sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1))
    .map((name) => join(folder, name));
}

/** Whether each recording still to be played has a cost. */
export function costsOfRecordings(model: ModelConfig, played: number): boolean {
  return listRecordings(model.recordings ?? "")
    .slice(played)
    .every((folder) => costOf(model, readUsage(join(folder, "usage.json"))).costUsd !== null);
}

/** Plays a recorded pass in this process: files, output, usage, exit code. No network, no program. */
export async function runReplayModel(run: ModelRun): Promise<ModelOutcome> {
  const startedAt = performance.now();
  const recording = run.abort?.aborted ? null : run.role === undefined ? openRecording(run) : openReview(run, run.role);
  const playable = recording !== null && typeof recording !== "string" ? recording : null;
  if (playable !== null) applyOverlay(playable.steps);
  const capBytes = run.capBytes ?? defaultCapBytes;
  const out = openCapture(run.stdoutPath, capBytes, run.redactor);
  out.write(playable?.output ?? Buffer.alloc(0));
  const stdout = finish(out);
  const stderr = finish(openCapture(run.stderrPath, capBytes, run.redactor));
  const usage = playable?.usage ?? unknownUsage;
  const finalText = finalTextOf(out.tail(), run.redactor);
  return {
    end:
      recording === null
        ? { kind: "interrupted", cause: "signal", reason: "the run was stopped" }
        : playable === null
          ? { kind: "not_started", reason: String(recording) }
          : withWords(
              {
                kind: "exited",
                exit_code: playable.exitCode,
                signal: null,
                result_event: playable.exitCode === 0 && stdout.bytes > 0,
              },
              finalText,
            ),
    finalText,
    ...costOf(run.model, usage),
    turns: null,
    sessionId: null,
    error: null,
    durationMs: Math.round(performance.now() - startedAt),
    ended: [],
    stdout,
    stderr,
    note: usage.note,
  };
}

/** A string says why it cannot be played. */
function openRecording(run: ModelRun): Recording | string {
  const all = listRecordings(run.model.recordings ?? "");
  const folder = all[run.playedRecordings];
  if (folder === undefined)
    return `no recording is left: ${Math.min(run.playedRecordings, all.length)} of ${all.length} were played`;
  const steps: OverlayStep[] = [];
  for (const [part, target] of [
    ["task", run.taskDir],
    ["repo", run.repo],
  ] as const) {
    const plan = planOverlay(join(folder, part), target);
    if (typeof plan === "string") return `recording ${basename(folder)} cannot be played: ${plan}`;
    steps.push(...plan);
  }
  const output = readPart(folder, "output.txt");
  const exitText = readPart(folder, "exit_code");
  if (typeof output === "string" || typeof exitText === "string") {
    return `recording ${basename(folder)} cannot be played: ${[output, exitText].find((part) => typeof part === "string")}`;
  }
  const exitWord = exitText.toString("utf8").trim() || "0";
  if (!/^\d{1,3}$/.test(exitWord))
    return `recording ${basename(folder)} cannot be played: exit_code should hold a number`;
  return { steps, output, exitCode: Number(exitWord), usage: readUsage(join(folder, "usage.json")) };
}

/** Such as `reviews/security.md` of the next recording; empty if none was recorded. */
function openReview(run: ModelRun, role: string): Recording | string {
  const folder = listRecordings(run.model.recordings ?? "")[run.playedRecordings];
  const output = folder === undefined ? Buffer.alloc(0) : readPart(folder, join("reviews", `${role}.md`));
  if (typeof output === "string")
    return `the review of recording ${basename(folder ?? "")} cannot be played: ${output}`;
  return { steps: [], output, exitCode: 0, usage: unknownUsage };
}

/** Empty if missing; a string says what is wrong. */
function readPart(folder: string, name: string): Buffer | string {
  const file = readRegularFile(join(folder, name), maxOutputBytes);
  if (file.kind === "file") return file.bytes;
  return file.kind === "missing" ? Buffer.alloc(0) : `${name} could not be read (${file.kind})`;
}

function finish(capture: Capture): ModelOutcome["stdout"] {
  const stream = capture.end();
  capture.close();
  return stream;
}

type OverlayStep =
  | { readonly kind: "copy"; readonly from: string; readonly to: string; readonly mode: number }
  | { readonly kind: "delete"; readonly to: string };

const deleteSuffix = ".delete";

/**
 * The steps that lay `source` over `target`: copies each file, and deletes NAME for an empty file `NAME.delete`.
 * A string says why it cannot be done: links, special files, and targets below links. Writes nothing yet. A missing source
 * means nothing.
 */
function planOverlay(source: string, target: string): readonly OverlayStep[] | string {
  const steps: OverlayStep[] = [];
  const walk = (folder: string, into: string): string | null => {
    if (!["absent", "folder"].includes(typeOf(into)))
      return `${into} is not a folder, so a recorded one cannot be copied over it`;
    for (const name of readdirSync(folder).sort()) {
      const from = join(folder, name);
      const type = typeOf(from);
      const problem = type === "folder" ? walk(from, join(into, name)) : null;
      if (problem !== null) return problem;
      if (type === "other") return `${from} is neither a file nor a folder: recordings cannot contain links`;
      if (type === "file") steps.push(stepFor(from, join(into, name)));
    }
    return null;
  };
  try {
    const type = typeOf(source);
    if (type === "absent") return steps;
    return (type === "folder" ? walk(source, target) : `${source} should be a folder`) ?? steps;
  } catch (failure) {
    return (failure as Error).message;
  }
}

/** Files appear whole; what is in their place, even a link, is replaced. Throws errors of the disk. */
function applyOverlay(steps: readonly OverlayStep[]): void {
  for (const step of steps) {
    try {
      applyStep(step);
    } catch (failure) {
      const message = `A recorded file could not be put in place: ${(failure as Error).message}. Check the folder's permissions and free space.`;
      throw diskError("TP_DISK", message, { file: step.to }, failure);
    }
  }
}

function applyStep(step: OverlayStep): void {
  if (step.kind === "delete") {
    rmSync(step.to, { recursive: true, force: true });
    return;
  }
  mkdirSync(dirname(step.to), { recursive: true });
  const half = join(dirname(step.to), `.task-phase-replay-${process.pid}.tmp`);
  rmSync(half, { force: true });
  copyFileSync(step.from, half, constants.COPYFILE_EXCL);
  chmodSync(half, step.mode);
  if (typeOf(step.to) === "folder") rmSync(step.to, { recursive: true });
  renameSync(half, step.to);
}

function stepFor(from: string, to: string): OverlayStep {
  const { mode, size } = lstatSync(from);
  if (size === 0 && to.endsWith(deleteSuffix)) return { kind: "delete", to: to.slice(0, -deleteSuffix.length) };
  return { kind: "copy", from, to, mode: mode & 0o777 };
}

function typeOf(path: string): "absent" | "file" | "folder" | "other" {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "absent";
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? "file" : "other";
}
