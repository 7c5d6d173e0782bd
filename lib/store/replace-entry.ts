import {
  chmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { orElse } from "../text/attempt.ts";
import type { Redactor } from "../text/redact.ts";
import { errorCode, storing } from "./error-code.ts";
import { makeFolder, statEntry, statIfReadable, syncFolder } from "./folder.ts";
import { hashFile } from "./hash-file.ts";
import type { ManifestEntry } from "./manifest.ts";
import { joinBytes, pathBytes, pathKey } from "./path-key.ts";
import { putFile } from "./put-file.ts";
import { writeWhole } from "./temporary-file.ts";
import { listFolder } from "./walk.ts";
import { withFile } from "./with-file.ts";

/** Removes a file or tree without following links, whatever rights its folders have. */
export function removeEntry(path: Buffer): void {
  const stats = statEntry(path);
  if (stats === null) return;
  if (stats.isDirectory()) {
    if ((stats.mode & 0o700) !== 0o700) chmodSync(path, 0o700);
    for (const entry of listFolder(path)) removeEntry(joinBytes(path, entry.name));
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

/**
 * Gives the owner back what it takes to read a folder, or to read and write a file; does nothing to a link, and to what
 * others own. Not the right to write a folder: the compare must still find its mode changed.
 */
export function giveRights(path: string): void {
  const stats = statIfReadable(path);
  const least = stats?.isDirectory() === true ? 0o500 : stats?.isFile() === true ? 0o600 : 0;
  if (stats === null || (stats.mode & least) === least) return;
  orElse(() => chmodSync(path, (stats.mode & 0o7777) | least), null);
}

export function parentFolder(path: Buffer): Buffer {
  return path.subarray(0, Math.max(1, path.lastIndexOf(0x2f)));
}

/**
 * Copies a file or tree to a place where it is safe to look at: bytes (redacted by a redactor) without special rights,
 * and links and pipes as text that describes them. Returns the path, numbered if `keepAt` existed. Throws TP_DISK.
 */
export function saveTree(path: Buffer, keepAt: string, redactor: Redactor | null): string {
  const place = freePlace(keepAt);
  makeFolder(dirname(place));
  saveOne(path, place, redactor);
  return place;
}

function saveOne(path: Buffer, place: string, redactor: Redactor | null): void {
  const stats = statEntry(path);
  if (stats === null) return;
  if (stats.isSymbolicLink()) {
    const target = pathKey(readlinkSync(path, { encoding: "buffer" }));
    const text = `a link to ${target}\n`;
    putFile(place, redactor?.redact(text) ?? text);
  } else if (stats.isDirectory()) {
    makeFolder(place);
    for (const entry of listFolder(path)) {
      saveOne(joinBytes(path, entry.name), join(place, keptName(entry.name)), redactor);
    }
  } else if (stats.isFile()) {
    saveFile(path, place, redactor);
  } else {
    putFile(place, "a pipe, a socket or a device\n");
  }
}

/** Latin1 maps each byte to a character and back. */
function saveFile(path: Buffer, place: string, redactor: Redactor | null): void {
  storing("keep a copy at", place, () => {
    withFile(openSync(place, "wx", 0o644), (descriptor) => {
      const stream = redactor?.stream() ?? null;
      const write = (text: string): void => writeWhole(descriptor, Buffer.from(text, "latin1"));
      const read = hashFile(path, (piece) => {
        if (stream === null) writeWhole(descriptor, piece);
        else write(stream.push(piece.toString("latin1")));
      });
      if (stream !== null) write(stream.end());
      if (read.kind !== "file") writeWhole(descriptor, "a file that could not be read\n");
      fsyncSync(descriptor);
    });
    syncFolder(dirname(place));
  });
}

function freePlace(keepAt: string): string {
  let place = keepAt;
  for (let number = 2; statEntry(place) !== null; number += 1) place = `${keepAt}.${number}`;
  return place;
}

/** A valid name in any folder: bytes that are not UTF-8 are written out. */
function keptName(name: Buffer): string {
  const key = pathKey(name);
  return key.startsWith("//") ? key.slice(2) : key;
}
