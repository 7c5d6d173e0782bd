import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { storeError } from "../store/error-code.ts";
import { lookAt, makeFolder, syncFolder } from "../store/folder.ts";
import { type FileLock, tryLock } from "../store/lock.ts";
import { putFile, removeDebris } from "../store/put-file.ts";
import { type ReadResult, readRegularFile } from "../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { sha256 } from "../text/sha256.ts";

/**
 * What the runner notes about models under `.task-phase/` of a tasks root: cooldowns, whose turn was the last one, and
 * a changelog a model. Every runner of that root writes them, so each write happens under one lock, and stands in the
 * mirror before it stands in the tasks root: what a file has that its mirror has not, no runner of this user wrote.
 */
export interface RuntimeFiles {
  /** `.task-phase` of the tasks root. */
  readonly folder: string;
  /** This user's own copy, where no pass is to write. */
  readonly mirror: string;
}

export const cooldownsName = "cooldowns.json";
export const lastModelName = "state.json";
export const changelogFolder = "changelog";

/** A changelog that grows past this is left to a person: it would be read and written with every pass. */
export const longestRuntimeFile = 64 * 1024 * 1024;
const lockName = "models.lock";
const pauseMs = 20;
const waitMs = 2_000;

/** `tasksRoot` is the real path. Nothing is made. */
export function runtimeFilesOf(tasksRoot: string, env: NodeJS.ProcessEnv, home: string): RuntimeFiles {
  return {
    folder: join(tasksRoot, ".task-phase"),
    mirror: join(stateHome(env, home), "roots", sha256(tasksRoot).slice(0, 32)),
  };
}

/** True for a path inside `.task-phase/` where one of these files stands, or may. */
export function isRuntimeFile(name: string): boolean {
  return name === cooldownsName || name === lastModelName || /^changelog\/[^/]+\.md$/.test(name);
}

/** Waits for at most two seconds for another runner to be done; null where it is not. Throws TP_DISK. */
export function lockRuntime(files: RuntimeFiles): FileLock | null {
  const locks = join(files.folder, "locks");
  makeFolder(locks);
  openPrivateFolder(files.mirror);
  // The first keeps out every user of the tasks root; an agent can take it away, but not the second.
  const first = waitForLock(join(locks, lockName));
  if (first === null) return null;
  const second = lockOrLetGo(join(files.mirror, lockName), first);
  if (second === null) return null;
  return {
    release() {
      second.release();
      first.release();
    },
  };
}

function lockOrLetGo(path: string, held: FileLock): FileLock | null {
  let lock: FileLock | null = null;
  try {
    lock = waitForLock(path);
    return lock;
  } finally {
    if (lock === null) held.release();
  }
}

function waitForLock(path: string): FileLock | null {
  const end = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(path);
    if (lock !== null || performance.now() > end) return lock;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

/** What stands there, under the folder or under the mirror. Links are not followed, that of `changelog/` neither. */
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

/** Durably, the mirror first. To be called under the lock. Throws TP_DISK. */
export function putRuntimeFile(files: RuntimeFiles, name: string, data: string | Buffer): void {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  putMirror(files, name, bytes);
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

/** Takes the files as they stand, also where a person changed or removed some. To be called under the lock. */
export function mirrorFiles(files: RuntimeFiles): void {
  try {
    for (const name of new Set([...listFiles(files.folder), ...listFiles(files.mirror)])) {
      const bytes = readRuntimeBytes(files.folder, name);
      if (bytes !== null) putMirror(files, name, bytes);
      else removeMirror(files, name);
    }
  } catch (error) {
    throw storeError("copy", files.folder, error);
  }
}

/** What killed runs left half-written; nobody writes while the lock is held. */
export function clearRuntimeDebris(folder: string): void {
  for (const inner of [folder, join(folder, changelogFolder)]) if (isFolder(inner)) removeDebris(inner);
}

function putMirror({ mirror }: RuntimeFiles, name: string, bytes: Buffer): void {
  if (readRuntimeBytes(mirror, name)?.equals(bytes) === true) return;
  openPrivateFolder(dirname(join(mirror, name)));
  putFile(join(mirror, name), bytes, { mode: 0o600 });
}

/** A link in the place of `changelog/` would lead the writes elsewhere. */
function refuseLink(folder: string): void {
  if (lookAt(folder)?.isSymbolicLink() === true) throw Object.assign(new Error("a link"), { code: "ELOOP" });
}

function removeMirror({ mirror }: RuntimeFiles, name: string): void {
  if (lookAt(join(mirror, name)) === null) return;
  rmSync(join(mirror, name), { recursive: true, force: true });
  syncFolder(dirname(join(mirror, name)));
}

function listFiles(folder: string): string[] {
  const changelogs = join(folder, changelogFolder);
  const inside = isFolder(changelogs) ? readdirSync(changelogs).map((name) => `${changelogFolder}/${name}`) : [];
  return [cooldownsName, lastModelName, ...inside].filter(isRuntimeFile);
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() === true;
}
