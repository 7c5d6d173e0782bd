import { readdirSync, renameSync, type Stats } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import type { ProcessIdentity } from "../process/identity.ts";
import { diskError } from "../report/errors.ts";
import { storeError } from "../store/error-code.ts";
import { lookAt, removeAll, syncFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readJsonFile } from "../store/read-json.ts";
import { sha256 } from "../text/sha256.ts";
import { type CurrentPass, commitShape, currentShape, type PendingCommit, processShape } from "./anchor-shapes.ts";
import { stands } from "./task-place.ts";
import { removeWorkFolders } from "./work-folder.ts";

/** The folder of a task's anchor. */
interface RecordsIn {
  readonly folder: string;
}

const currentName = "current.json";
const commitName = "commit.json";
/** The newest event that was accepted and carried out: its commit.json under another name. */
const acceptedName = "accepted.json";
const longestRecord = 256 * 1024 * 1024;
const lineShape = v.object({ line: v.string() });
const runningShape = v.object({ mark: v.object({ id: v.string() }), started: v.exactOptional(lineShape) });
const newestShape = v.object({ ...lineShape.entries, ends: v.exactOptional(v.string()) });

export function recordCurrent(anchor: RecordsIn, current: CurrentPass): void {
  putFile(join(anchor.folder, currentName), JSON.stringify(current), { mode: 0o600 });
}

/**
 * From here on what changes is the runner's own work, and a later run that recovers the pass lets it be. An empty file
 * of the pass says so, so that one sync of the folder makes it durable.
 */
export function recordCheckpoint(anchor: RecordsIn, { mark }: CurrentPass): void {
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

export function recordCommit(anchor: RecordsIn, commit: PendingCommit): void {
  putFile(join(anchor.folder, commitName), JSON.stringify(commit), { mode: 0o600 });
}

export function readCommit(folder: string): PendingCommit | null {
  return readRecord(join(folder, commitName), commitShape);
}

/** Forgets the pass that was running and comes to nothing. */
export function clearCurrent(anchor: RecordsIn): void {
  removeWorkFolders(anchor.folder);
  if (removeRecords(anchor)) syncFolder(anchor.folder);
}

/** The same, and the event that was about to be accepted: for a task folder that was made anew since. */
export function clearRecords(anchor: RecordsIn): void {
  removeAll(join(anchor.folder, commitName));
  clearCurrent(anchor);
}

/**
 * Once all that the event led to is durable: it no longer waits, and the pass that it ends is forgotten. One rename
 * does the first, and the record that it leaves says which pass is over, so the order in which a power cut keeps these
 * does not matter. Durably: a record that came back later would undo what was accepted since. Throws TP_DISK.
 */
export function settleCommit(anchor: RecordsIn, { ends_pass: endsPass }: PendingCommit): void {
  if (endsPass) removeWorkFolders(anchor.folder);
  const path = join(anchor.folder, acceptedName);
  try {
    if (endsPass) removeRecords(anchor);
    renameSync(join(anchor.folder, commitName), path);
    syncFolder(anchor.folder);
  } catch (error) {
    throw storeError("write", path, error);
  }
}

/** What is left of a pass that is over, or of none. True if there was anything; not durably. */
export function removeRecords({ folder }: RecordsIn): boolean {
  const names = readdirSync(folder).filter(
    (name) => name === currentName || name === "process.json" || name.startsWith(checkpointPrefix),
  );
  for (const name of names) removeAll(join(folder, name));
  return names.length > 0;
}

/** The head of the journal as this machine last wrote it: how other tasks' runners know that a change was ours. */
export function readHead(folder: string): string | null {
  const running = readLoosely(join(folder, currentName), runningShape);
  const newest = readLoosely(join(folder, acceptedName), newestShape);
  if (running?.started !== undefined && running.mark.id !== newest?.ends) return sha256(running.started.line);
  return newest === null ? null : sha256(newest.line);
}

/** The stats of the files that `readHead` reads. */
export function lookAtHead(folder: string): Stats[] {
  return [currentName, acceptedName].map((name) => lookAt(join(folder, name))).filter((stats) => stats !== null);
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
export function recordProcess(anchor: RecordsIn, head: ProcessIdentity): void {
  putFile(join(anchor.folder, "process.json"), JSON.stringify(head), { mode: 0o600, durable: false });
}

/** None for a record that is empty or holds only zeros, as a power cut leaves it. */
export function readProcess(folder: string): ProcessIdentity[] {
  const read = readRegularFile(join(folder, "process.json"), 4096);
  if (read.kind === "file" && read.bytes.every((byte) => byte === 0)) return [];
  const found = readRecord(join(folder, "process.json"), processShape);
  return found === null ? [] : [found];
}
