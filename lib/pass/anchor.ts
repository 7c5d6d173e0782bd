import { realpathSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type * as v from "valibot";
import type { ReviewedEvent } from "../machine/events.ts";
import type { ProcessIdentity } from "../process/identity.ts";
import { configError, diskError } from "../report/errors.ts";
import { syncFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { type Manifest, openSnapshotStore, type SnapshotStore } from "../store/snapshot.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { readShape } from "../text/read-shape.ts";
import { sha256 } from "../text/sha256.ts";
import { commitShape, currentShape, processShape } from "./anchor-shapes.ts";
import { forgetOwnWrites } from "./own-writes.ts";
import type { PassPorts } from "./ports.ts";
import type { TaskPlace } from "./task-place.ts";
import { removeWorkFolders } from "./work-folder.ts";

/**
 * The runner's own copy, outside repo and tasks root, of what a pass must not change. It says which pass is under way,
 * and holds the next event of the journal before the journal has it, so that a run that was killed can be finished or
 * undone.
 */
export interface Anchor {
  readonly folder: string;
  readonly store: SnapshotStore;
  readonly spool: string;
}

/** The pass that is under way. */
export interface CurrentPass {
  readonly version: 1;
  readonly pass: number;
  /** `checkpoint`: nothing of the pass is alive, all was compared, and what changes from here on is the runner's own work. */
  readonly step: "baseline" | "review" | "exec" | "checkpoint";
  readonly started_at: string;
  readonly repo: string;
  readonly mark: { readonly id: string; readonly tetherPath: string };
  readonly work_folder: string;
  readonly manifest: Manifest;
  /** The journal heads of other tasks as their own runners last noted them, by task folder. */
  readonly other_heads: Readonly<Record<string, string | null>>;
  readonly protected_globs: readonly string[];
  /** task-phase.yaml, wherever it was found; null where there is none. */
  readonly config_paths: readonly string[];
  /** The repo had a `.git` when the pass began. */
  readonly had_git: boolean;
  /** What is journalled of the reviewers that are at work, should the run be killed. */
  readonly reviewers?: readonly ReviewedEvent[];
}

/** An event that is about to be accepted, and every file that goes with it. */
export interface PendingCommit {
  readonly version: 1;
  /** The journal before the event. */
  readonly journal: { readonly size: number; readonly sha256: string };
  /** Without its newline. */
  readonly line: string;
  /** The whole STATE.md afterwards; null where the event leaves it alone. */
  readonly state: string | null;
  /** Other files of the task folder, by their path in it: whole text, or a tail that is put behind `size` bytes. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly behind: number | null }[];
  /** True where the event ends the pass that is under way. */
  readonly ends_pass: boolean;
}

/** The folder of a task's anchor; nothing is made. */
export function anchorFolder(taskDir: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(ports.env, ports.home), "tasks", sha256(taskDir).slice(0, 32));
}

/** Opens the anchor, making its folders. A config error where it would lie in the repo or the tasks root. */
export function openAnchor(place: TaskPlace, ports: Pick<PassPorts, "env" | "home">): Anchor {
  const folder = anchorFolder(place.taskDir, ports);
  refuseInside(folder, place.tasksRoot, "the tasks root");
  openPrivateFolder(folder);
  const spool = join(folder, "spool");
  const pool = join(stateHome(ports.env, ports.home), "copies");
  return { folder, spool, store: openSnapshotStore(join(folder, "copies"), { pool }) };
}

/** The state folder must lie outside what a pass may write. */
export function refuseInside(folder: string, root: string, what: string): void {
  const real = realPlaceOf(folder);
  if (real === root || real.startsWith(`${root}/`)) {
    throw configError("TP_STATE_HOME", `the runner's state folder lies inside ${what}, where a pass can write`, {
      file: folder,
      fix: "set XDG_STATE_HOME to a folder outside the repo and the tasks root",
    });
  }
}

/** Where a path leads, links followed as far as there is anything. */
function realPlaceOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realPlaceOf(dirname(path)), basename(path));
  }
}

/** An empty spool for the outputs of the next pass, and nothing that the runner wrote in it yet. */
export function clearSpool(anchor: Anchor): void {
  rmSync(anchor.spool, { recursive: true, force: true });
  openPrivateFolder(anchor.spool);
  forgetOwnWrites(anchor);
}

export function noteCurrent(anchor: Anchor, current: CurrentPass): void {
  putFile(join(anchor.folder, "current.json"), JSON.stringify(current), { mode: 0o600 });
}

/** From here on what changes is the runner's own work, and a later run that recovers the pass lets it be. */
export function noteCheckpoint(anchor: Anchor, current: CurrentPass): void {
  noteCurrent(anchor, { ...current, step: "checkpoint" });
}

export function readCurrent(folder: string): CurrentPass | null {
  return readRecord(join(folder, "current.json"), currentShape);
}

export function noteCommit(anchor: Anchor, commit: PendingCommit): void {
  putFile(join(anchor.folder, "commit.json"), JSON.stringify(commit), { mode: 0o600 });
}

export function readCommit(folder: string): PendingCommit | null {
  return readRecord(join(folder, "commit.json"), commitShape);
}

/** Forgets the pass that was under way, once all it led to is durable. */
export function clearCurrent(anchor: Anchor): void {
  removeWorkFolders(anchor.folder);
  forget(anchor, "current.json");
  forget(anchor, "process.json");
}

export function clearCommit(anchor: Anchor): void {
  forget(anchor, "commit.json");
}

/** Durably: a record that came back after a power cut would undo what was accepted since. */
function forget(anchor: Anchor, name: string): void {
  rmSync(join(anchor.folder, name), { force: true });
  syncFolder(anchor.folder);
}

/** The head of the journal as this machine last wrote it: how other tasks' runners know that a change was ours. */
export function noteHead(anchor: Anchor, head: string): void {
  putFile(join(anchor.folder, "head.txt"), head, { mode: 0o600 });
}

export function readHead(folder: string): string | null {
  const read = readRegularFile(join(folder, "head.txt"), 1024);
  return read.kind === "file" ? read.bytes.toString("utf8") : null;
}

function readRecord<Value>(path: string, shape: v.GenericSchema<unknown, Value>): Value | null {
  const file = readRegularFile(path, 256 * 1024 * 1024);
  if (file.kind === "missing") return null;
  if (file.kind !== "file")
    throw diskError("TP_ANCHOR", `the runner's own record cannot be read (${file.kind})`, { file: path });
  const read = readShape(shape, file.bytes);
  if (read.kind === "read") return read.value;
  throw diskError("TP_ANCHOR", `the runner's own record is damaged: ${read.problem}`, {
    file: path,
    fix: "look at it, then delete it to start the pass over",
  });
}

/** The head of the model's process tree, so that a later run can end what a killed one left. */
export function noteProcess(anchor: Anchor, head: ProcessIdentity): void {
  putFile(join(anchor.folder, "process.json"), JSON.stringify(head), { mode: 0o600 });
}

export function readProcess(folder: string): ProcessIdentity[] {
  const found = readRecord(join(folder, "process.json"), processShape);
  return found === null ? [] : [found];
}
