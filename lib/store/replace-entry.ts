import { chmodSync, lstatSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { errorCode } from "./error-code.ts";
import { lookAt, syncFolder } from "./folder.ts";
import type { ManifestEntry } from "./manifest.ts";
import { joinBytes, pathBytes } from "./path-key.ts";
import { listFolder } from "./walk.ts";

/** Removes a file or tree without following links, whatever rights its folders have. */
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

/** Recreates a folder or link durably. Does nothing for pipes, sockets and devices. */
export function makeEntry(path: Buffer, entry: ManifestEntry): void {
  if (entry.type === "folder") {
    mkdirSync(path);
    chmodSync(path, entry.mode);
  } else if (entry.type === "link") {
    symlinkSync(pathBytes(entry.target ?? ""), path);
  }
  syncFolder(parentFolder(path));
}

/** On missing rights, runs `act` again with the folder writable. */
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
