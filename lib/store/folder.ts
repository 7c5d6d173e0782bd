import { closeSync, constants, fsyncSync, lstatSync, mkdirSync, openSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorCode, passMachineFault, storeError } from "./error-code.ts";

/**
 * The error codes of fsync for a folder on file systems that do not support it; their renames are durable or never
 * were.
 */
const noFolderSync = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EPERM", "EISDIR", "EBADF"]);

/** Makes the names in a folder durable: without it a rename or a new file may be gone after a power cut. */
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

/** The folders that got names in a batch: each is synced once, however many it got. */
export interface FolderSyncs {
  add(folder: string): void;
  /** What was added since the last time is durable when this returns. Throws TP_DISK. */
  sync(): void;
}

export function gatherSyncs(): FolderSyncs {
  const folders = new Set<string>();
  return {
    add: (folder) => folders.add(folder),
    sync() {
      for (const folder of folders) {
        try {
          syncFolder(folder);
        } catch (error) {
          throw storeError("sync the folder", folder, error);
        }
        folders.delete(folder);
      }
    },
  };
}

/** For names that may be gone after a power cut. */
export const neverSynced: FolderSyncs = { add: () => undefined, sync: () => undefined };

/**
 * Makes the folder and those above it that are missing, durably; with `syncs` once these are made. Throws TP_DISK.
 */
export function makeFolder(path: string, mode = 0o777, syncs: FolderSyncs | null = null): void {
  const missing: string[] = [];
  let at = resolve(path);
  try {
    while (!isFolder(at)) {
      missing.push(at);
      at = dirname(at);
    }
    for (const folder of missing.reverse()) {
      makeOne(folder, mode);
      if (syncs === null) syncFolder(dirname(folder));
      else syncs.add(dirname(folder));
    }
  } catch (error) {
    throw storeError("make the folder", path, error);
  }
}

/** Removes a file, or a folder with all that is in it; nothing if there is none. Throws TP_DISK. */
export function removeAll(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    throw storeError("remove", path, error);
  }
}

/**
 * The entry at the path itself, links not followed; null if there is none, or if a file is in place of a folder above.
 */
export function lookAt(path: string | Buffer): Stats | null {
  try {
    // Without an error for what is missing, which would cost more than the look.
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return null;
    throw error;
  }
}

/** True for a folder and for a link to one; false for anything else, and if nothing can be seen. */
export function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    passMachineFault(error);
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    // A link to nowhere is "not there" for stat, and mkdir then says EEXIST: no endless search for a parent.
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
  throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process was faster; anything but a folder in the place is an error.
    if (errorCode(error) !== "EEXIST" || !isFolder(folder)) throw error;
  }
}
