import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { TaskPhaseError } from "../../report/errors.ts";
import { errorFinding } from "../../report/finding.ts";
import { storeError } from "../../store/error-code.ts";
import { lookAt, makeFolder, syncFolder } from "../../store/folder.ts";
import { type FileLock, tryLock } from "../../store/lock.ts";
import { putFile } from "../../store/put-file.ts";
import { type ReadResult, readRegularFile } from "../../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../../store/state-home.ts";
import { removeDebris } from "../../store/temporary-file.ts";
import { sha256 } from "../../text/sha256.ts";

/**
 * What the runner notes about the models of a tasks root: cooldowns, whose turn was the last one, and a changelog a
 * model. The state folder of this user holds the truth, and `.task-phase/` of the tasks root is written out from it,
 * for people to read and to change between passes. Every runner of that root writes them, so each write happens under
 * one lock: a file that differs from the truth was changed by no runner of this user.
 */
export interface RuntimeFiles {
  /** `.task-phase` of the tasks root. */
  readonly folder: string;
  /** In the state folder, if no pass is to write. */
  readonly own: string;
}

export const cooldownsName = "cooldowns.json";
export const lastModelName = "state.json";
export const changelogFolder = "changelog";
/** Reports of the loop; written, and never read back. */
export const runsFolder = "runs";

/** A changelog that grows past this is left to a person: it would be read and written with every pass. */
export const longestRuntimeFile = 64 * 1024 * 1024;
const pauseMs = 20;
const waitMs = 2_000;

/** `tasksRoot` is the real path. Nothing is made. */
export function runtimeFilesOf(tasksRoot: string, env: NodeJS.ProcessEnv, home: string): RuntimeFiles {
  return {
    folder: join(tasksRoot, ".task-phase"),
    own: join(stateHome(env, home), "roots", sha256(tasksRoot).slice(0, 32)),
  };
}

/** True for a path inside `.task-phase/` where one of these files is, or may be. */
export function isRuntimeFile(name: string): boolean {
  return name === cooldownsName || name === lastModelName || /^(?:changelog|runs)\/[^/]+\.md$/.test(name);
}

/** An agent running in the tasks root cannot take it away. */
export function lockPath({ own }: RuntimeFiles): string {
  return join(own, "models.lock");
}

/** Waits for at most two seconds for another runner to be done; null if it is not. Throws TP_DISK. */
export function lockRuntime(files: RuntimeFiles): FileLock | null {
  openPrivateFolder(files.own);
  const end = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(lockPath(files));
    if (lock !== null || performance.now() > end) return lock;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

/**
 * Acts while no other runner of this user writes these files, once what killed runs left half-written is gone. Throws a
 * locked error if another one keeps doing so, or TP_DISK.
 */
export function underRuntimeLock(files: RuntimeFiles, act: () => void): void {
  const lock = lockRuntime(files);
  if (lock === null) {
    throw new TaskPhaseError("locked", [
      errorFinding("TP_LOCKED", "another runner has locked the notes about models for too long", {
        file: lockPath(files),
        fix: "try again; if it lasts, see what holds that file open",
      }),
    ]);
  }
  try {
    for (const folder of [files.folder, files.own]) clearRuntimeDebris(folder);
    act();
  } finally {
    lock.release();
  }
}

/** The files in both folders. Links are not followed, not even `changelog/` itself. */
export function readRuntimeFile(folder: string, name: string): ReadResult {
  const inside = dirname(name);
  if (inside !== "." && !isFolder(join(folder, inside))) return { kind: "missing" };
  return readRegularFile(join(folder, name), longestRuntimeFile);
}

/** The bytes of a regular file; null for anything else. */
export function readRuntimeBytes(folder: string, name: string): Buffer | null {
  const read = readRuntimeFile(folder, name);
  return read.kind === "file" ? read.bytes : null;
}

/** Durably, the truth first. To be called under the lock. Throws TP_DISK. */
export function putRuntimeFile(files: RuntimeFiles, name: string, data: string | Buffer): void {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  putTruth(files, name, bytes);
  const path = join(files.folder, name);
  const read = readRuntimeFile(files.folder, name);
  if (read.kind === "file" && read.bytes.equals(bytes)) return;
  try {
    makeFolder(dirname(path));
    refuseLink(dirname(path));
    putFile(path, bytes);
  } catch (error) {
    throw storeError("write", path, error);
  }
}

/** True if a file of the tasks root is not as the truth has it, or cannot be looked at. */
export function hasEdits(files: RuntimeFiles): boolean {
  try {
    return listNames(files).some((name) => {
      const bytes = readRuntimeBytes(files.folder, name);
      if (bytes === null) return lookAt(join(files.own, name)) !== null;
      return readRuntimeBytes(files.own, name)?.equals(bytes) !== true;
    });
  } catch {
    return true;
  }
}

/** Takes the files of the tasks root as they are, since a person may have changed some. To be called under the lock. */
export function takeEdits(files: RuntimeFiles): void {
  try {
    for (const name of listNames(files)) {
      const bytes = readRuntimeBytes(files.folder, name);
      if (bytes !== null) putTruth(files, name, bytes);
      else removeTruth(files, name);
    }
  } catch (error) {
    throw storeError("copy", files.folder, error);
  }
}

/** Half-written files of killed runs; nobody writes while the lock is held. */
export function clearRuntimeDebris(folder: string): void {
  for (const inner of [folder, join(folder, changelogFolder), join(folder, runsFolder)])
    if (isFolder(inner)) removeDebris(inner);
}

function putTruth({ own }: RuntimeFiles, name: string, bytes: Buffer): void {
  if (readRuntimeBytes(own, name)?.equals(bytes) === true) return;
  openPrivateFolder(dirname(join(own, name)));
  putFile(join(own, name), bytes, { mode: 0o600 });
}

/** A link in place of `changelog/` would lead the writes elsewhere. */
function refuseLink(folder: string): void {
  if (lookAt(folder)?.isSymbolicLink() === true) throw Object.assign(new Error("a link"), { code: "ELOOP" });
}

function removeTruth({ own }: RuntimeFiles, name: string): void {
  const path = join(own, name);
  if (lookAt(path) === null) return;
  rmSync(path, { recursive: true, force: true });
  syncFolder(dirname(path));
}

/** Of the files in either folder. */
function listNames({ folder, own }: RuntimeFiles): string[] {
  return [...new Set([...listFiles(folder), ...listFiles(own)])];
}

function listFiles(folder: string): string[] {
  const changelogs = join(folder, changelogFolder);
  const inside = isFolder(changelogs) ? readdirSync(changelogs).map((name) => `${changelogFolder}/${name}`) : [];
  return [cooldownsName, lastModelName, ...inside].filter(isRuntimeFile);
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() === true;
}
