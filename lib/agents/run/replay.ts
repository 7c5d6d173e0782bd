import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { type Capture, openCapture } from "../../process/capture.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { finalTextOf } from "../../text/telling-line.ts";
import { defaultCapBytes, type ModelOutcome, type ModelRun, withWords } from "./model-run.ts";
import { applyOverlay, type OverlayStep, planOverlay } from "./overlay.ts";
import { costOf, readUsage, type Usage, unknownUsage } from "./usage.ts";

const maxOutputBytes = 64 * 1024 * 1024;

/** All of it is read before anything is written. */
interface Recording {
  readonly steps: readonly OverlayStep[];
  readonly output: Buffer;
  readonly exitCode: number;
  readonly usage: Usage;
}

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

/** Whether each recording still to be played has a cost. */
export function costsOfRecordings(model: ModelConfig, played: number): boolean {
  return listRecordings(model.recordings ?? "")
    .slice(played)
    .every((folder) => {
      const { costUsd, tokens } = readUsage(join(folder, "usage.json"));
      return costOf(model, costUsd, tokens).costUsd !== null;
    });
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
