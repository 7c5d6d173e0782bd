import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { storing } from "../store/error-code.ts";
import { makeFolder, statEntry, syncFolder } from "../store/folder.ts";
import { type FileLock, tryLock } from "../store/lock.ts";
import { putFile } from "../store/put-file.ts";
import { type ReadResult, readRegularFile } from "../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { hasDebris, removeDebris } from "../store/temporary-file.ts";
import { orElse } from "../text/attempt.ts";
import { lockedError } from "../text/errors.ts";
import { sha256 } from "../text/sha256.ts";

/**
 * Notes about the models of a tasks root: cooldowns, the last model, and changelogs. The truth is in the user's state
 * folder; `.task-phase/` of the tasks root is its copy for people, who may edit it between passes. All writes happen
 * under one lock, so a differing copy was changed by no runner of this user.
 */
export interface RuntimeFiles {
  readonly folder: string;
  /** In the state folder, which no pass writes. */
  readonly own: string;
}

export const cooldownsName = "cooldowns.json";
export const lastModelName = "state.json";
export const changelogFolder = "changelog";
/** Reports of the loop, never read back. */
export const runsFolder = "runs";

/** A larger changelog would cost too much with every pass, and is left to a person. */
const longestRuntimeFile = 64 * 1024 * 1024;
const pauseMs = 20;
const waitMs = 2_000;

/** `tasksRoot` is the real path. Makes nothing. */
export function runtimeFilesOf(tasksRoot: string, env: NodeJS.ProcessEnv, home: string): RuntimeFiles {
  return {
    folder: join(tasksRoot, ".task-phase"),
    own: join(stateHome(env, home), "roots", sha256(tasksRoot).slice(0, 32)),
  };
}

/** Whether a path inside `.task-phase/` can be one of these files. */
export function isRuntimeFile(name: string): boolean {
  return name === cooldownsName || name === lastModelName || /^(?:changelog|runs)\/[^/]+\.md$/.test(name);
}

/** Out of reach of an agent in the tasks root. */
export function lockPath({ own }: RuntimeFiles): string {
  return join(own, "models.lock");
}

/** Waits at most two seconds. Throws TP_DISK. */
export function lockRuntime(files: RuntimeFiles): FileLock | null {
  openPrivateFolder(files.own);
  const end = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(lockPath(files));
    if (lock !== null || performance.now() > end) return lock;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

/** Clears debris of killed runs first. Throws a locked error if another runner keeps writing, or TP_DISK. */
export function underRuntimeLock(files: RuntimeFiles, act: () => void): void {
  const lock = lockRuntime(files);
  if (lock === null) {
    throw lockedError("TP_LOCKED", "another runner has locked the notes about models for too long", {
      file: lockPath(files),
      fix: "try again; if it lasts, see what holds that file open",
    });
  }
  try {
    for (const folder of [files.folder, files.own]) clearRuntimeDebris(folder);
    act();
  } finally {
    lock.release();
  }
}

/** Follows no link, not even `changelog/` itself. */
export function readRuntimeFile(folder: string, name: string): ReadResult {
  const inside = dirname(name);
  if (inside !== "." && !isFolder(join(folder, inside))) return { kind: "missing" };
  return readRegularFile(join(folder, name), longestRuntimeFile);
}

export function readRuntimeBytes(folder: string, name: string): Buffer | null {
  const read = readRuntimeFile(folder, name);
  return read.kind === "file" ? read.bytes : null;
}

/** Durable, the truth first. Requires the lock. Throws TP_DISK. */
export function putRuntimeFile(files: RuntimeFiles, name: string, data: string | Buffer): void {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  putTruth(files, name, bytes);
  const path = join(files.folder, name);
  const read = readRuntimeFile(files.folder, name);
  if (read.kind === "file" && read.bytes.equals(bytes)) return;
  storing("write", path, () => {
    makeFolder(dirname(path));
    refuseLink(dirname(path));
    putFile(path, bytes);
  });
}

/** Whether a copy in the tasks root differs from the truth, or cannot be read. */
export function hasEdits(files: RuntimeFiles): boolean {
  const differs = (name: string): boolean => {
    const bytes = readRuntimeBytes(files.folder, name);
    if (bytes === null) return statEntry(join(files.own, name)) !== null;
    return readRuntimeBytes(files.own, name)?.equals(bytes) !== true;
  };
  return orElse(() => listNames(files).some(differs), true);
}

/** Takes over a person's edits in the tasks root. Requires the lock. */
export function takeEdits(files: RuntimeFiles): void {
  storing("copy", files.folder, () => {
    for (const name of listNames(files)) {
      const bytes = readRuntimeBytes(files.folder, name);
      if (bytes !== null) putTruth(files, name, bytes);
      else removeTruth(files, name);
    }
  });
}

export function hasRuntimeDebris(folder: string): boolean {
  return listWritten(folder).some(hasDebris);
}

export function clearRuntimeDebris(folder: string): void {
  for (const inner of listWritten(folder)) if (isFolder(inner)) removeDebris(inner);
}

function listWritten(folder: string): string[] {
  return [folder, join(folder, changelogFolder), join(folder, runsFolder)];
}

function putTruth({ own }: RuntimeFiles, name: string, bytes: Buffer): void {
  if (readRuntimeBytes(own, name)?.equals(bytes) === true) return;
  openPrivateFolder(dirname(join(own, name)));
  putFile(join(own, name), bytes, { mode: 0o600 });
}

/** A link in place of `changelog/` would redirect the writes. */
function refuseLink(folder: string): void {
  if (statEntry(folder)?.isSymbolicLink() === true) throw Object.assign(new Error("a link"), { code: "ELOOP" });
}

function removeTruth({ own }: RuntimeFiles, name: string): void {
  const path = join(own, name);
  if (statEntry(path) === null) return;
  rmSync(path, { recursive: true, force: true });
  syncFolder(dirname(path));
}

function listNames({ folder, own }: RuntimeFiles): string[] {
  return [...new Set([...listFiles(folder), ...listFiles(own)])];
}

function listFiles(folder: string): string[] {
  const changelogs = join(folder, changelogFolder);
  const inside = isFolder(changelogs) ? readdirSync(changelogs).map((name) => `${changelogFolder}/${name}`) : [];
  return [cooldownsName, lastModelName, ...inside].filter(isRuntimeFile);
}

function isFolder(path: string): boolean {
  return statEntry(path)?.isDirectory() === true;
}

/** Unique even if file names ignore case: what is no plain word, or ends like a digest, gets digits. */
export function changelogName(model: string): string {
  const slug = model
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (slug === model && slug !== "" && !/(?:^|-)[0-9a-f]{12}$/.test(slug)) return `${slug}.md`;
  return `${[slug, sha256(model).slice(0, 12)].filter((part) => part !== "").join("-")}.md`;
}
