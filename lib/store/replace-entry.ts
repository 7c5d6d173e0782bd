import { chmodSync, lstatSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { errorCode } from "./error-code.ts";
import { lookAt, syncFolder } from "./folder.ts";
import type { ManifestEntry } from "./manifest-shape.ts";
import { joinBytes, pathBytes } from "./path-key.ts";
import { listFolder } from "./walk.ts";

/** Removes what is there, a whole folder too, without following a link and whatever rights its folders have. */
export function removeTree(path: Buffer): void {
  const stats = lookAt(path);
  if (stats === null) return;
  if (stats.isDirectory()) {
    if ((stats.mode & 0o700) !== 0o700) chmodSync(path, 0o700);
    for (const entry of listFolder(path)) removeTree(joinBytes(path, entry.name));
    rmdirSync(path);
  } else {
    unlinkSync(path);
  }
}

/** Makes a folder or a link as it was, durably. A pipe, a socket or a device cannot be made again: nothing is done. */
export function makeEntry(path: Buffer, entry: ManifestEntry): void {
  if (entry.type === "folder") {
    mkdirSync(path);
    chmodSync(path, entry.mode);
  } else if (entry.type === "link") {
    symlinkSync(pathBytes(entry.target ?? ""), path);
  }
  syncFolder(parentFolder(path));
}

/** Runs it again with the folder made writable for a moment, if the folder's rights do not let it. */
export function inWritableFolder(folder: Buffer, act: () => void): void {
  try {
    act();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (errorCode(cause) !== "EACCES" && errorCode(cause) !== "EPERM") throw error;
    const mode = lstatSync(folder).mode & 0o7777;
    if ((mode & 0o300) === 0o300) throw error;
    chmodSync(folder, mode | 0o700);
    try {
      act();
    } finally {
      chmodSync(folder, mode);
    }
  }
}

export function parentFolder(path: Buffer): Buffer {
  return path.subarray(0, Math.max(1, path.lastIndexOf(0x2f)));
}
