import { closeSync, fsyncSync, linkSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, storeError } from "./error-code.ts";
import { type FolderSyncs, statEntry, syncFolder } from "./folder.ts";
import { readRegularFile } from "./read-file.ts";
import { type Data, removeQuietly, temporaryIn, writeTemporary, writeWhole } from "./temporary-file.ts";

interface PutOptions {
  readonly mode?: number;
  readonly temporaryIn?: string;
  readonly durable?: boolean;
  readonly syncs?: FolderSyncs;
}

/** No file that people and the runner both write is as long: `putOver` takes it for none, and reads nothing of it. */
export const longestFile = 17 * 1024 * 1024;
/** link(2) on file systems without hard links (exFAT: EPERM). */
const noHardLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

/**
 * Puts a whole file in place durably: even after a crash or power cut, the path has either the old bytes or the new. An
 * existing regular file keeps its permission bits (and its owner, if allowed) unless `mode` is given, which then holds
 * exactly; a link is replaced, not followed. Throws TP_DISK, with the old file intact unless the new name alone could
 * not be made durable. `temporaryIn`: a folder of the same file system for the temporary file, if it may not be seen
 * beside the file. `syncs` makes the name durable later, with others. `durable: false` is for caches, whose readers
 * check the content. Our own, since write-file-atomic and atomically put truncated files in place on a full disk: they
 * ignore how many bytes were written.
 */
export function putFile(path: string, data: Data, options: PutOptions = {}): void {
  put(path, data, options, (temporary) => {
    renameSync(temporary, path);
    return true;
  });
}

/**
 * `putFile` over a file that others may be writing. `replaces` judges its bytes (null: no regular file, or too long) right before
 * the rename, and once more those written until then; false keeps that file, and is returned. What someone renames into
 * place between that check and our rename is not seen.
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
    const existing = statEntry(path);
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
  // A second name of the old file shows what was written to it until the rename.
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

/** Null without hard links. */
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

/** Creates a file durably and whole, only if nothing is there, not even a link to nowhere. Throws TP_DISK. */
export function createFile(path: string, data: string | Uint8Array): boolean {
  let temporary: string | null = null;
  try {
    if (statEntry(path) !== null) return false;
    temporary = writeTemporary(dirname(path), data, { mode: null, owner: null, durable: true });
    const made = linkOrWrite(temporary, path, data);
    removeQuietly(temporary);
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
    // Somebody took the temporary file for debris, since the file was there.
    if (errorCode(error) === "ENOENT" && statEntry(path) !== null) return false;
    if (!noHardLinks.has(errorCode(error))) throw error;
  }
  return writeInPlace(path, data);
}

/** Without hard links nothing is both "only if absent" and always whole; keep the first. */
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

/** Gives up against someone who saves again and again. */
const tries = 20;

/**
 * Changes a file that others may write, as durably as `putFile`: reads and changes again if it changed meanwhile, so
 * that no edit is lost. Throws TP_DISK, also if that never ends.
 */
export function editFile(
  path: string,
  read: () => Buffer | null,
  change: (before: Buffer | null) => string | Uint8Array,
  options: { readonly syncs?: FolderSyncs } = {},
): void {
  for (let done = 0; done < tries; done += 1) {
    const before = read();
    if (putOver(path, change(before), (there) => isSame(before, there), options)) return;
  }
  throw storeError("write", path, new Error("it changes while it is being written"));
}

function isSame(before: Buffer | null, there: Buffer | null): boolean {
  return before === null || there === null ? before === there : before.equals(there);
}
