import { readdirSync, realpathSync, renameSync, rmSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as v from "valibot";
import type { ProcessIdentity } from "../process/identity.ts";
import { configError, diskError } from "../report/errors.ts";
import { lookAt, neverSynced, syncFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readJsonFile } from "../store/read-json.ts";
import { openSnapshotStore, type SnapshotStore } from "../store/snapshot.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { openTreeShelf, type TreeShelf } from "../store/tree-shelf.ts";
import { sha256 } from "../text/sha256.ts";
import { type CurrentPass, commitShape, currentShape, type PendingCommit, processShape } from "./anchor-shapes.ts";
import { forgetOwnWrites } from "./own-writes.ts";
import type { PassPorts } from "./ports.ts";
import { stands, type TaskPlace } from "./task-place.ts";
import { removeWorkFolders } from "./work-folder.ts";

/**
 * The runner's own copy, outside repo and tasks root, of what a pass must not change. It says which pass is running,
 * and holds the next event of the journal before the journal has it, so that a run that was killed can be finished or
 * undone.
 */
export interface Anchor {
  readonly folder: string;
  readonly store: SnapshotStore;
  /** Copies that all tasks of the root share. */
  readonly trees: TreeShelf;
  readonly spool: string;
}

const currentName = "current.json";
const commitName = "commit.json";
/** The newest event that was accepted and carried out: its commit.json under another name. */
const acceptedName = "accepted.json";
/** Where versions before accepted.json kept the head of the journal. */
const olderHeadName = "head.txt";
const longestRecord = 256 * 1024 * 1024;
const lineShape = v.object({ line: v.string() });
const runningShape = v.object({ mark: v.object({ id: v.string() }), started: v.exactOptional(lineShape) });
const newestShape = v.object({ ...lineShape.entries, ends: v.exactOptional(v.string()) });

/** The folder of a task's anchor; nothing is made. */
export function anchorFolder(taskDir: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(anchorsFolder(ports), anchorName(taskDir));
}

/** Where the anchors of all tasks are. */
export function anchorsFolder({ env, home }: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(env, home), "tasks");
}

/** What the folder of a task's anchor is called in there. */
export function anchorName(taskDir: string): string {
  return sha256(taskDir).slice(0, 32);
}

/** Opens the anchor, making its folders. A config error if it would lie in the repo or the tasks root. */
export function openAnchor(place: TaskPlace, ports: Pick<PassPorts, "env" | "home">): Anchor {
  const folder = anchorFolder(place.taskDir, ports);
  refuseInside(folder, place.tasksRoot, "the tasks root");
  openPrivateFolder(folder);
  const spool = join(folder, "spool");
  const pool = join(stateHome(ports.env, ports.home), "copies");
  const trees = openTreeShelf(treesFolder(place.tasksRoot, ports), basename(folder).slice(0, 16));
  return { folder, spool, trees, store: openSnapshotStore(join(folder, "copies"), { pool, packs: trees.packs }) };
}

/** Where the copies are that the tasks of a root share. */
function treesFolder(tasksRoot: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(ports.env, ports.home), "trees", sha256(tasksRoot).slice(0, 32));
}

/** Where it is kept what was seen of a repo, a real path. */
export function seenFile(repo: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(ports.env, ports.home), "seen", sha256(repo).slice(0, 32));
}

/** The state folder must lie outside what a pass may write. */
export function refuseInside(folder: string, root: string, what: string): void {
  const real = realPlaceOf(folder);
  if (real === root || real.startsWith(`${root}/`)) {
    throw configError("TP_STATE_HOME", `the runner's state folder is inside ${what}, where a pass can write`, {
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

/**
 * An empty spool for the outputs of the next pass, and nothing that the runner wrote in it yet; durable with the record
 * of the pass.
 */
export function clearSpool(anchor: Anchor): void {
  rmSync(anchor.spool, { recursive: true, force: true });
  openPrivateFolder(anchor.spool, neverSynced);
  forgetOwnWrites(anchor);
}

export function recordCurrent(anchor: Anchor, current: CurrentPass): void {
  putFile(join(anchor.folder, currentName), JSON.stringify(current), { mode: 0o600 });
}

/**
 * From here on what changes is the runner's own work, and a later run that recovers the pass lets it be. An empty file
 * of the pass says so, so that one sync of the folder makes it durable.
 */
export function recordCheckpoint(anchor: Anchor, { mark }: CurrentPass): void {
  putFile(join(anchor.folder, checkpointName(mark.id)), "", { mode: 0o600 });
}

const checkpointPrefix = "checkpoint-";

function checkpointName(markId: string): string {
  return `${checkpointPrefix}${markId}`;
}

/** Null also for a pass that ended: its record can come back after a power cut that met its removal. */
export function readCurrent(folder: string): CurrentPass | null {
  const current = readRecord(join(folder, currentName), currentShape);
  if (current === null || hasEnded(folder, current.mark.id)) return null;
  return stands(join(folder, checkpointName(current.mark.id))) ? { ...current, step: "checkpoint" } : current;
}

function hasEnded(folder: string, markId: string): boolean {
  return readLoosely(join(folder, acceptedName), newestShape)?.ends === markId;
}

/** The mark of the pass that is running; null if none is. */
export function currentMark(folder: string): string | null {
  return readLoosely(join(folder, currentName), runningShape)?.mark.id ?? null;
}

export function recordCommit(anchor: Anchor, commit: PendingCommit): void {
  putFile(join(anchor.folder, commitName), JSON.stringify(commit), { mode: 0o600 });
}

export function readCommit(folder: string): PendingCommit | null {
  return readRecord(join(folder, commitName), commitShape);
}

/** True if a killed run left something that the next start must finish or undo. */
export function waitsForRecovery(place: Pick<TaskPlace, "taskDir">, ports: Pick<PassPorts, "env" | "home">): boolean {
  const folder = anchorFolder(place.taskDir, ports);
  return readCurrent(folder) !== null || readCommit(folder) !== null;
}

/** Forgets the pass that was running and comes to nothing. */
export function clearCurrent(anchor: Anchor): void {
  removeWorkFolders(anchor.folder);
  if (removeRecords(anchor)) syncFolder(anchor.folder);
}

/**
 * Once all that the event led to is durable: it no longer waits, and the pass that it ends is forgotten. One rename
 * does the first, and the record that it leaves says which pass is over, so the order in which a power cut keeps these
 * does not matter. Durably: a record that came back later would undo what was accepted since.
 */
export function settleCommit(anchor: Anchor, { ends_pass: endsPass }: PendingCommit): void {
  if (endsPass) {
    removeWorkFolders(anchor.folder);
    removeRecords(anchor);
  }
  renameSync(join(anchor.folder, commitName), join(anchor.folder, acceptedName));
  rmSync(join(anchor.folder, olderHeadName), { force: true });
  syncFolder(anchor.folder);
}

/** What is left of a pass that is over, or of none. True if there was anything; not durably. */
export function removeRecords({ folder }: Anchor): boolean {
  const names = readdirSync(folder).filter(
    (name) => name === currentName || name === "process.json" || name.startsWith(checkpointPrefix),
  );
  for (const name of names) rmSync(join(folder, name), { force: true });
  return names.length > 0;
}

/** The head of the journal as this machine last wrote it: how other tasks' runners know that a change was ours. */
export function readHead(folder: string): string | null {
  const running = readLoosely(join(folder, currentName), runningShape);
  const newest = readLoosely(join(folder, acceptedName), newestShape);
  if (running?.started !== undefined && running.mark.id !== newest?.ends) return sha256(running.started.line);
  if (newest !== null) return sha256(newest.line);
  const read = readRegularFile(join(folder, olderHeadName), 1024);
  return read.kind === "file" ? read.bytes.toString("utf8") : null;
}

/** The stats of the files that `readHead` reads. */
export function lookAtHead(folder: string): Stats[] {
  const newest = lookAt(join(folder, acceptedName)) ?? lookAt(join(folder, olderHeadName));
  return [lookAt(join(folder, currentName)), newest].filter((stats) => stats !== null);
}

/** The part of a record that one question needs; null also if it cannot be read. */
function readLoosely<Value>(path: string, shape: v.GenericSchema<unknown, Value>): Value | null {
  const read = readJsonFile(path, shape, longestRecord);
  return read.kind === "read" ? read.value : null;
}

function readRecord<Value>(path: string, shape: v.GenericSchema<unknown, Value>): Value | null {
  const read = readJsonFile(path, shape, longestRecord);
  if (read.kind === "missing") return null;
  if (read.kind === "read") return read.value;
  throw diskError("TP_ANCHOR", `the runner's own record is damaged: ${read.problem}`, {
    file: path,
    fix: "inspect it, then delete it to start the pass over",
  });
}

/**
 * The head of the model's process tree, so that a later run can end what a killed one left. Not durably: no process
 * outlives a power cut.
 */
export function recordProcess(anchor: Anchor, head: ProcessIdentity): void {
  putFile(join(anchor.folder, "process.json"), JSON.stringify(head), { mode: 0o600, durable: false });
}

/** None for a record that is empty or holds only zeros, as a power cut leaves it. */
export function readProcess(folder: string): ProcessIdentity[] {
  const read = readRegularFile(join(folder, "process.json"), 4096);
  if (read.kind === "file" && read.bytes.every((byte) => byte === 0)) return [];
  const found = readRecord(join(folder, "process.json"), processShape);
  return found === null ? [] : [found];
}
