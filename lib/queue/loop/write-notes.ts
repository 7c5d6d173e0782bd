import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatRun, readLastModel } from "../../agents/select/last-model.ts";
import { makeFolder, removeAll, statEntry } from "../../store/folder.ts";
import { type FileLock, isLocked, tryLock } from "../../store/lock.ts";
import { createFile } from "../../store/put-file.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { findRunner, recordRunner } from "../../task/records/records.ts";
import { placeOf } from "../../task/records/task-place.ts";
import {
  lastModelName,
  putRuntimeFile,
  type RuntimeFiles,
  readRuntimeBytes,
  runsFolder,
  runtimeFilesOf,
  underRuntimeLock,
} from "../../task/runtime-files.ts";
import { changeNotes } from "../../task/runtime-place.ts";
import { lockedError, TaskPhaseError } from "../../text/errors.ts";
import type { ExitName } from "../../text/exit-codes.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import type { LoopRequest } from "./loop-request.ts";
import { type Ending, type LoopState, modelPasses, notesRoot, rootOf } from "./loop-state.ts";
import { digestRun, markCutOff, type RunDigest, renderRunReport } from "./run-report.ts";
import { updateBoard } from "./update-board.ts";

/**
 * Writes the report of this call and brings a board that is there up to date: after each pass, and at the end with
 * `ending`. Nothing is written as long as nothing happened. What goes wrong is a warning: no verdict depends on it.
 */
export async function writeNotes(state: LoopState, ending: Ending | null): Promise<RunDigest | null> {
  if (!state.happened) return null;
  const { ports, findings, passes } = state;
  const tasksRoot = notesRoot(state);
  // Jobs end in any order.
  const worked = [...state.begun].flatMap((taskDir) => state.worked.get(taskDir) ?? []);
  const facts = { id: state.run, began: state.began, now: ports.now(), ending, worked };
  const files = runtimeFilesOf(tasksRoot, ports.env, ports.home);
  let report: string | null = null;
  try {
    report = putRunReport(files, state.run, renderRunReport(facts, ports));
    if (ending !== null) putRunState({ id: state.run, tasksRoot }, modelPasses(passes).length, ending.exitName, ports);
  } catch (error) {
    warn("the report of this run could not be written", findings, error);
  }
  await refreshBoard(state);
  return { ...digestRun(facts), report };
}

export async function refreshBoard(state: LoopState): Promise<void> {
  const { request, findings, ports } = state;
  const tasksRoot = rootOf(request.target);
  // It would be a file of the working tree.
  if (ports.runtimeRoot !== undefined) return;
  try {
    const tasks = [...state.worked.values()].map(({ task }) => task);
    await updateBoard(tasksRoot, tasks, request, ports);
  } catch (error) {
    warn("the board could not be brought up to date", findings, error);
  }
}

export function showPassBegan(state: LoopState): void {
  const { run, passes, ports } = state;
  const shown = { id: run, tasksRoot: notesRoot(state) };
  try {
    state.live ??= recordLoop(shown, ports);
    putRunState(shown, modelPasses(passes).length + 1, null, ports);
  } catch (error) {
    warn("state.json could not be written", state.findings, error);
  }
}

function warn(what: string, findings: Finding[], error: unknown): void {
  if (!(error instanceof TaskPhaseError)) throw error;
  const { file = null, fix = null } = error.findings[0] ?? {};
  const finding = warningFinding("TP_RUN_NOTES", `${what}: ${error.message}`, { file, fix });
  if (!findings.some(({ message }) => message === finding.message)) findings.push(finding);
}

type StatePorts = Pick<PassPorts, "env" | "home" | "now">;

/** A call of the loop, as `.task-phase/state.json` shows it. */
interface ShownRun {
  readonly id: string;
  readonly tasksRoot: string;
}

/** Notes in the state folder that this process is that call, so that a later one knows whether it was killed. */
function recordLoop({ id, tasksRoot }: ShownRun, ports: StatePorts): { forget(): void } {
  const folder = liveFolder(runtimeFilesOf(tasksRoot, ports.env, ports.home), id);
  const note = recordRunner(folder);
  return {
    forget() {
      note.forget();
      removeAll(folder);
    },
  };
}

/**
 * Writes what the loop says of itself; `exitName` is null while it runs. The report of a call that was killed before
 * gets the words for that. Throws a locked error if another runner keeps writing there, or TP_DISK.
 */
function putRunState(
  { id, tasksRoot }: ShownRun,
  iteration: number,
  exitName: ExitName | null,
  ports: StatePorts,
): void {
  // The folder of a task is asked for; which one does not matter.
  changeNotes(placeOf(join(tasksRoot, "any")), ports, (files) => {
    const before = readRuntimeBytes(files.own, lastModelName);
    closeKilled(files, readLastModel(before).run, id);
    const status = exitName === null ? "running" : "ended";
    const updated_at = ports.now().toISOString();
    const run = { run_id: id, iteration, status, exit_name: exitName, updated_at } as const;
    putRuntimeFile(files, lastModelName, formatRun(run, before));
  });
}

function closeKilled(files: RuntimeFiles, run: ReturnType<typeof readLastModel>["run"], id: string): void {
  if (run?.run_id === undefined || run.status !== "running" || run.run_id === id) return;
  // A name from a file that a person may edit.
  if (!/^[0-9A-Za-z-]+$/.test(run.run_id) || findRunner(liveFolder(files, run.run_id)) !== null) return;
  removeAll(liveFolder(files, run.run_id));
  const name = join(runsFolder, `${run.run_id}.md`);
  const report = readRuntimeBytes(files.own, name)?.toString("utf8");
  if (report !== undefined) putRuntimeFile(files, name, markCutOff(report));
}

function liveFolder({ own }: RuntimeFiles, id: string): string {
  return join(own, "loops", id);
}

/** Reports kept in the tasks root; names sort by time. */
const keptReports = 200;
/** Kept in the state folder, which proves to a running pass that a runner wrote them. */
const keptTruths = 20;

/** Returns the path. Throws a locked error if another runner keeps writing, or TP_DISK. */
function putRunReport(files: RuntimeFiles, run: string, text: string): string {
  const name = join(runsFolder, `${run}.md`);
  underRuntimeLock(files, () => {
    putRuntimeFile(files, name, text);
    prune(join(files.own, runsFolder), keptTruths);
    prune(join(files.folder, runsFolder), keptReports);
  });
  return join(files.folder, name);
}

function prune(folder: string, kept: number): void {
  if (statEntry(folder)?.isDirectory() !== true) return;
  const reports = readdirSync(folder).filter((name) => name.endsWith(".md"));
  for (const name of reports.sort().slice(0, -kept)) rmSync(join(folder, name), { force: true });
}

/**
 * One loop on one target: a second start while one runs ends at once with exit 75, also in the moments between two
 * passes in which no task is locked. Goes with the process, however it ends. `target` holds real paths.
 */
export function lockLoop(target: LoopRequest["target"]): FileLock {
  const path = lockPathOf(target);
  makeFolder(dirname(path));
  createFile(join(dirname(path), ".gitignore"), "*\n");
  const lock = tryLock(path);
  if (lock !== null) return lock;
  throw lockedError("TP_LOCKED", `another loop runs on this ${target.kind === "root" ? "tasks root" : "task"}`, {
    file: path,
    fix: "wait for it to end, then try again",
  });
}

/** Makes nothing. */
export function isLoopRunning(target: LoopRequest["target"]): boolean {
  return isLocked(lockPathOf(target));
}

function lockPathOf(target: LoopRequest["target"]): string {
  if (target.kind === "root") return join(target.tasksRoot, ".task-phase", "locks", "loop.lock");
  const { runtime, name } = placeOf(target.taskDir);
  return join(runtime, "locks", `${name}.loop.lock`);
}
