import { readdirSync, renameSync, type Stats } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { identifyPid, type ProcessIdentity } from "../../process/identity.ts";
import { isAlive } from "../../process/survivors.ts";
import { storing } from "../../store/error-code.ts";
import { removeAll, statEntry, syncFolder } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { readJsonFile, readJsonOr, readRegularFile } from "../../store/read-file.ts";
import { openPrivateFolder } from "../../store/state-home.ts";
import { removeQuietly } from "../../store/temporary-file.ts";
import { diskError } from "../../text/errors.ts";
import { parseJson } from "../../text/json-object.ts";
import { sha256 } from "../../text/sha256.ts";
import { type CurrentPass, commitShape, currentShape, type PendingCommit, processShape } from "./anchor-shapes.ts";
import { stands } from "./task-place.ts";
import { removeWorkFolders } from "./work-folder.ts";

export interface RecordsIn {
  readonly folder: string;
}

const currentName = "current.json";
const commitName = "commit.json";
/** commit.json of the newest accepted event, renamed. */
const acceptedName = "accepted.json";
const longestRecord = 256 * 1024 * 1024;
const lineShape = v.object({ line: v.string() });
const runningShape = v.object({ mark: v.object({ id: v.string() }), started: v.exactOptional(lineShape) });
const newestShape = v.object({ ...lineShape.entries, ends: v.exactOptional(v.string()) });

export function recordCurrent(anchor: RecordsIn, current: CurrentPass): void {
  putFile(join(anchor.folder, currentName), JSON.stringify(current), { mode: 0o600 });
}

/** From here on, changes are the runner's own, which a recovery leaves alone. Durable by syncing the folder. */
export function recordCheckpoint(anchor: RecordsIn, { mark }: CurrentPass): void {
  putFile(join(anchor.folder, checkpointName(mark.id)), "", { mode: 0o600 });
}

const checkpointPrefix = "checkpoint-";

function checkpointName(markId: string): string {
  return `${checkpointPrefix}${markId}`;
}

/** Null also for an ended pass, whose record a power cut can bring back. */
export function readCurrent(folder: string): CurrentPass | null {
  const current = readRecord(join(folder, currentName), currentShape);
  if (current === null || hasEnded(folder, current.mark.id)) return null;
  return stands(join(folder, checkpointName(current.mark.id))) ? { ...current, step: "checkpoint" } : current;
}

function hasEnded(folder: string, markId: string): boolean {
  return readLoosely(join(folder, acceptedName), newestShape)?.ends === markId;
}

export function currentMark(folder: string): string | null {
  return readLoosely(join(folder, currentName), runningShape)?.mark.id ?? null;
}

export function recordCommit(anchor: RecordsIn, commit: PendingCommit): void {
  const path = join(anchor.folder, commitName);
  try {
    putFile(path, JSON.stringify(commit), { mode: 0o600 });
  } catch (error) {
    // If its name alone could not be made durable it is there, and the next run would take it for accepted.
    removeQuietly(path);
    throw error;
  }
}

export function readCommit(folder: string): PendingCommit | null {
  return readRecord(commitPath({ folder }), commitShape);
}

export function commitPath({ folder }: RecordsIn): string {
  return join(folder, commitName);
}

/** Puts the waiting event aside, where nothing reads it: the file that has it now. */
export function refuseCommit(anchor: RecordsIn): string {
  const path = join(anchor.folder, "refused.json");
  return storing("write", path, () => {
    removeAll(path);
    renameSync(join(anchor.folder, commitName), path);
    return path;
  });
}

export function clearCurrent(anchor: RecordsIn): void {
  removeWorkFolders(anchor.folder);
  if (removeRecords(anchor)) syncFolder(anchor.folder);
}

/** Also forgets an event about to be accepted: the task folder was made anew. */
export function clearRecords(anchor: RecordsIn): void {
  removeAll(join(anchor.folder, commitName));
  clearCurrent(anchor);
}

/**
 * After all of the event is durable: one rename ends its waiting, and the renamed record names the ended pass, so a
 * power cut may reorder the rest. Durable: a record that came back would undo later events. Throws TP_DISK.
 */
export function settleCommit(anchor: RecordsIn, { ends_pass: endsPass }: PendingCommit): void {
  if (endsPass) removeWorkFolders(anchor.folder);
  const path = join(anchor.folder, acceptedName);
  storing("write", path, () => {
    if (endsPass) removeRecords(anchor);
    renameSync(join(anchor.folder, commitName), path);
    syncFolder(anchor.folder);
  });
}

/** Not durable. True if there was anything. */
export function removeRecords({ folder }: RecordsIn): boolean {
  const names = readdirSync(folder).filter(
    (name) => name === currentName || name === "process.json" || name.startsWith(checkpointPrefix),
  );
  for (const name of names) removeAll(join(folder, name));
  return names.length > 0;
}

/** The journal's head as this machine last wrote it, by which other tasks' runners recognise our changes. */
export function readHead(folder: string): string | null {
  const running = readLoosely(join(folder, currentName), runningShape);
  const newest = readLoosely(join(folder, acceptedName), newestShape);
  if (running?.started !== undefined && running.mark.id !== newest?.ends) return sha256(running.started.line);
  return newest === null ? null : sha256(newest.line);
}

/** What a task's own runners had done by some time, on this machine. */
export interface RunnerTrace {
  readonly head: string | null;
  /** The time of the folder, which each call under the task's lock changes, also one that makes no event. Null: none was. */
  readonly at: string | null;
}

export function readTrace(folder: string): RunnerTrace {
  return { head: readHead(folder), at: statEntry(folder)?.mtimeMs.toString() ?? null };
}

/** Of what `readTrace` reads. */
export function statTrace(folder: string): Stats[] {
  return [".", currentName, acceptedName]
    .map((name) => statEntry(join(folder, name)))
    .filter((stats) => stats !== null);
}

/** Only the needed part of a record; null if unreadable. */
function readLoosely<Value>(path: string, shape: v.GenericSchema<unknown, Value>): Value | null {
  return readJsonOr(path, shape, longestRecord, null);
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
 * The head of the model's process tree, so that a later run can end it. Not durable: no process outlives a power cut.
 */
export function recordProcess(anchor: RecordsIn, head: ProcessIdentity): void {
  putFile(join(anchor.folder, "process.json"), JSON.stringify(head), { mode: 0o600, durable: false });
}

/** Empty for a record without its bytes or a part of them, as a power cut leaves it. */
export function readProcess(folder: string): ProcessIdentity[] {
  const read = readRegularFile(join(folder, "process.json"), 4096);
  if (read.kind === "file" && parseJson(read.bytes.toString("utf8")) === undefined) return [];
  const found = readRecord(join(folder, "process.json"), processShape);
  return found === null ? [] : [found];
}

export function notesPath({ folder }: RecordsIn): string {
  return join(folder, "model-notes.json");
}

/** Adds a JSON note durably, once. An unreadable list is lost. */
export function addNote(anchor: RecordsIn, note: string): void {
  const known = readJsonOr(notesPath(anchor), v.array(v.unknown()), 16 * 1024 * 1024, []);
  const notes = known.map((one) => JSON.stringify(one));
  if (!notes.includes(note)) putFile(notesPath(anchor), `[${[...notes, note].join(",")}]`, { mode: 0o600 });
}

const name = "runner.json";

/**
 * For `cancel`. The note of a living process, such as the loop's around a pass, belongs to its writer: a call that is about
 * to be refused takes away none of it.
 */
export function recordRunner(anchorFolder: string): { forget(): void } {
  openPrivateFolder(anchorFolder);
  if (findRunner(anchorFolder) !== null) return { forget() {} };
  const own = identifyPid(process.pid, process.argv[1] ?? "node");
  // Not durable: after a power cut it names a process of an earlier boot.
  putFile(join(anchorFolder, name), JSON.stringify(own), { mode: 0o600, durable: false });
  return { forget: () => removeAll(join(anchorFolder, name)) };
}

export function findRunner(anchorFolder: string): ProcessIdentity | null {
  const noted = readNote(anchorFolder);
  return noted !== null && isAlive(noted) ? noted : null;
}

function readNote(anchorFolder: string): ProcessIdentity | null {
  // Without a readable note, the lock still says that someone runs the task.
  return readJsonOr(join(anchorFolder, name), processShape, 64 * 1024, null);
}
