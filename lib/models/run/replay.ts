import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { ModelConfig } from "../../config/load-config.ts";
import { type Capture, openCapture } from "../../process/capture.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { costOf } from "./cost.ts";
import { finalTextOf } from "./final-text.ts";
import { defaultCapBytes, type ModelOutcome, type ModelRun, withWords } from "./model-run.ts";
import { applyOverlay, type OverlayStep, planOverlay } from "./overlay.ts";
import { readUsage, type Usage, unknownUsage } from "./usage.ts";

const maxOutputBytes = 64 * 1024 * 1024;

/** A recording that can be played: all of it was read before anything is written. */
interface Recording {
  readonly steps: readonly OverlayStep[];
  readonly output: Buffer;
  readonly exitCode: number;
  readonly usage: Usage;
}

/** The folders of the recordings in the order they are played. */
export function listRecordings(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^\d+$/.test(entry.name))
      .map((entry) => entry.name)
      .sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** True if each recording that is still to be played says what it cost. */
export function costsOfRecordings(model: ModelConfig, played: number): boolean {
  return listRecordings(model.recordings ?? "")
    .slice(played)
    .every((folder) => {
      const { costUsd, tokens } = readUsage(join(folder, "usage.json"));
      return costOf(model, costUsd, tokens).costUsd !== null;
    });
}

/**
 * Plays one recorded pass inside this process: its files, its output, its usage, its exit code. No network, no program.
 */
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
    ...costOf(run.model, usage.costUsd, usage.tokens),
    tokens: usage.tokens,
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

/** The next recording, or why it cannot be played. */
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
    if (plan.kind === "refused") return `recording ${basename(folder)} cannot be played: ${plan.reason}`;
    steps.push(...plan.steps);
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

/** The report of a reviewer in the next recording, for example `reviews/security.md`; empty if none was recorded. */
function openReview(run: ModelRun, role: string): Recording | string {
  const folder = listRecordings(run.model.recordings ?? "")[run.playedRecordings];
  const output = folder === undefined ? Buffer.alloc(0) : readPart(folder, join("reviews", `${role}.md`));
  if (typeof output === "string")
    return `the review of recording ${basename(folder ?? "")} cannot be played: ${output}`;
  return { steps: [], output, exitCode: 0, usage: unknownUsage };
}

/** Its bytes, none if it is not there, or what is wrong with it. */
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
