import { closeSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, storeError } from "./error-code.ts";
import { type FolderSyncs, lookAt, syncFolder } from "./folder.ts";
import { readRegularFile } from "./read-file.ts";
import { type Data, removeQuietly, temporaryIn, writeTemporary } from "./temporary-file.ts";
import { writeWhole } from "./write-whole.ts";

interface PutOptions {
  readonly mode?: number;
  readonly temporaryIn?: string;
  readonly durable?: boolean;
  readonly syncs?: FolderSyncs;
}

const longestFile = 1024 * 1024 * 1024;
/** The error codes of link(2) on file systems without hard links (exFAT: EPERM). */
const noHardLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

/**
 * Puts a whole file in place, durably: afterwards, and after a crash or a power cut at any moment, the path holds
 * either the old bytes or the new ones. An existing regular file keeps its permission bits (and its owner, if
 * the system allows it) unless `mode` is given, which then holds exactly; a link in the place is replaced, not
 * followed. Throws TP_DISK, and the old file is whole then. `temporaryIn`: a folder of the same file system where the
 * bytes are kept until they are whole, for a place where someone would see the temporary file; else the file's own.
 * `syncs`: what makes the name durable, later and with others; until then a power cut may bring the old bytes back.
 * `durable: false`: no reader ever sees a part of it as long as the machine stays up; for a cache, whose readers judge
 * what they find. Data may come in pieces, one made after the other.
 *
 * Our own, since write-file-atomic and atomically put truncated files in place on a full disk: they ignore how
 * many bytes were written.
 */
export function putFile(path: string, data: Data, options: PutOptions = {}): void {
  put(path, data, options, (temporary) => {
    renameSync(temporary, path);
    return true;
  });
}

/**
 * As `putFile`, over a file that others may be writing. `replaces` is asked about its bytes (null: there is no regular
 * file) right before they make way, and again about those that were written until they did; it may keep them. False
 * leaves the file as it is, and is what this gives then. What someone renames into the place between that look and our own rename is not seen.
 */
export function putOver(
  path: string,
  data: Data,
  replaces: (there: Buffer | null) => boolean,
  options: PutOptions = {},
): boolean {
  return put(path, data, options, (temporary) => replace(temporary, path, replaces));
}

function put(path: string, data: Data, options: PutOptions, place: (temporary: string) => boolean): boolean {
  let temporary: string | null = null;
  const { durable = true } = options;
  try {
    const existing = lookAt(path);
    const old = existing?.isFile() === true ? existing : null;
    const folder = options.temporaryIn ?? dirname(path);
    const mode = options.mode ?? (old === null ? null : old.mode & 0o7777);
    temporary = writeTemporary(folder, data, { mode, owner: old, durable });
    if (!place(temporary)) {
      removeQuietly(temporary);
      return false;
    }
    temporary = null;
    if (durable && options.syncs === undefined) syncFolder(dirname(path));
    options.syncs?.add(dirname(path));
    return true;
  } catch (error) {
    if (temporary !== null) removeQuietly(temporary);
    throw storeError("write", path, error);
  }
}

function replace(temporary: string, path: string, replaces: (there: Buffer | null) => boolean): boolean {
  const there = readRegularFile(path, longestFile);
  if (!replaces(there.kind === "file" ? there.bytes : null)) return false;
  // Another name of the old file shows what was written to it until the rename.
  const aside = there.kind === "file" ? linkAside(path) : null;
  let placed = false;
  try {
    renameSync(temporary, path);
    const then = aside === null ? there : readRegularFile(aside, longestFile);
    placed = then.kind !== "file" || there.kind !== "file" || then.bytes.equals(there.bytes) || replaces(then.bytes);
    return placed;
  } finally {
    if (aside !== null) {
      if (!placed) renameSync(aside, path);
      removeQuietly(aside);
    }
  }
}

/** Null on a file system without hard links. */
function linkAside(path: string): string | null {
  const aside = temporaryIn(dirname(path));
  try {
    linkSync(path, aside);
    return aside;
  } catch (error) {
    if (noHardLinks.has(errorCode(error)) || errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * Makes the file only if there is none, whole and durable as with `putFile`. False if something is there, be it
 * a link to nowhere. Throws TP_DISK.
 */
export function createFile(path: string, data: string | Uint8Array): boolean {
  let temporary: string | null = null;
  try {
    if (lookAt(path) !== null) return false;
    temporary = writeTemporary(dirname(path), data, { mode: null, owner: null, durable: true });
    const made = linkOrWrite(temporary, path, data);
    unlinkSync(temporary);
    temporary = null;
    syncFolder(dirname(path));
    return made;
  } catch (error) {
    if (temporary !== null) removeQuietly(temporary);
    throw storeError("create", path, error);
  }
}

function linkOrWrite(temporary: string, path: string, data: string | Uint8Array): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!noHardLinks.has(errorCode(error))) throw error;
  }
  return writeInPlace(path, data);
}

/** Without hard links nothing is both "only if absent" and whole at every moment; the first is kept. */
function writeInPlace(path: string, data: string | Uint8Array): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, "wx");
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeWhole(descriptor, data);
    fsyncSync(descriptor);
  } catch (error) {
    removeQuietly(path);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return true;
}
