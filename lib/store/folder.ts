import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { orElse } from "../text/attempt.ts";
import { errorCode, isAbsent, lookOr, storing } from "./error-code.ts";

/** fsync of a folder fails so on file systems without it, where renames are durable or never were. */
const noFolderSync = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EPERM", "EISDIR", "EBADF"]);

/** Without it, a rename or a new file may be gone after a power cut. */
export function syncFolder(path: string | Buffer): void {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!noFolderSync.has(errorCode(error))) throw error;
  } finally {
    closeSync(descriptor);
  }
}

export interface FolderSyncs {
  add(folder: string): void;
  /** Makes all names added since the last call durable. Throws TP_DISK. */
  sync(): void;
}

export function gatherSyncs(): FolderSyncs {
  const folders = new Set<string>();
  return {
    add: (folder) => folders.add(folder),
    sync() {
      for (const folder of folders) {
        storing("sync the folder", folder, () => syncFolder(folder));
        folders.delete(folder);
      }
    },
  };
}

/** For names that may be gone after a power cut. */
export const neverSynced: FolderSyncs = { add: () => undefined, sync: () => undefined };

/** Makes missing folders durably, with `syncs` once those are made. Throws TP_DISK. */
export function makeFolder(path: string, mode = 0o777, syncs: FolderSyncs | null = null): void {
  const missing: string[] = [];
  let at = resolve(path);
  storing("make the folder", path, () => {
    while (!isFolder(at)) {
      missing.push(at);
      at = dirname(at);
    }
    for (const folder of missing.reverse()) {
      makeOne(folder, mode);
      if (syncs === null) syncFolder(dirname(folder));
      else syncs.add(dirname(folder));
    }
  });
}

/** Removes a file or a tree; fine if there is none. Throws TP_DISK. */
export function removeAll(path: string): void {
  storing("remove", path, () => rmSync(path, { recursive: true, force: true }));
}

/** The entry itself, links not followed; null if there is none, nor can be. */
export function statEntry(path: string | Buffer): Stats | null {
  try {
    // An exception for a missing file would cost more than the look.
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** As `statEntry`; null also for what cannot be read. */
export function statIfReadable(path: string): Stats | null {
  return orElse(() => lstatSync(path), null);
}

/** Follows a link. False if nothing can be seen. */
export function leadsToFolder(path: string): boolean {
  return lookOr(() => statSync(path).isDirectory(), false);
}

/** Whether the folder exists or could be made, and be written to. Makes nothing. */
export function isWritable(folder: string): boolean {
  return orElse(() => {
    for (let at = folder; ; at = dirname(at)) {
      const stats = statSync(at, { throwIfNoEntry: false });
      if (stats === undefined && at !== dirname(at)) continue;
      accessSync(at, constants.W_OK | constants.X_OK);
      return stats?.isDirectory() === true;
    }
  }, false);
}

function isFolder(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    // For a link to nowhere, stat says ENOENT and mkdir EEXIST: do not search for a parent forever.
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
  throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process was faster; anything but a folder is an error.
    if (errorCode(error) !== "EEXIST" || !isFolder(folder)) throw error;
  }
}

export function realOrNull(path: string): string | null {
  return lookOr(() => realpathSync(path), null);
}

export function realOr(path: string): string {
  return realOrNull(path) ?? path;
}

/** Follows links as far as the path exists. */
export function realSoFar(path: string): string {
  const parent = dirname(path);
  return orElse(() => realpathSync(path), null) ?? (path === parent ? path : join(realSoFar(parent), basename(path)));
}
