import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { orElse } from "../text/attempt.ts";
import { errorCode, storeError } from "./error-code.ts";
import { statEntry, syncFolder } from "./folder.ts";
import { type ByteRange, hashFile } from "./hash-file.ts";
import { joinBytes, pathKey } from "./path-key.ts";

/** Pieces are made one after the other. */
export type Data = string | Uint8Array | Iterable<Uint8Array>;

const debris = /^\.tp-[0-9a-f]{16}\.tmp$/;

/** `isDebris` recognises it. */
export function temporaryIn(folder: string): string {
  return join(folder, `.tp-${randomBytes(8).toString("hex")}.tmp`);
}

/** `wx` opens nothing that exists, so no link can redirect the bytes. */
export function writeTemporary(
  folder: string,
  data: Data,
  { mode, owner, durable }: { readonly mode: number | null; readonly owner: Stats | null; readonly durable: boolean },
): string {
  const temporary = temporaryIn(folder);
  const descriptor = openSync(temporary, "wx", mode === null ? 0o666 : 0o600);
  try {
    const isWhole = typeof data === "string" || data instanceof Uint8Array;
    for (const piece of isWhole ? [data] : data) writeWhole(descriptor, piece);
    if (owner !== null) copyOwner(descriptor, owner);
    // After the owner: changing that clears bits of the mode.
    if (mode !== null) fchmodSync(descriptor, mode);
    // An empty file has nothing to lose; syncing its folder makes it durable.
    if (durable && !(isWhole && data.length === 0)) fsyncSync(descriptor);
  } catch (error) {
    closeSync(descriptor);
    removeQuietly(temporary);
    throw error;
  }
  closeSync(descriptor);
  return temporary;
}

function copyOwner(descriptor: number, owner: Stats): void {
  if (owner.uid === process.geteuid?.() && owner.gid === process.getegid?.()) return;
  try {
    fchownSync(descriptor, owner.uid, owner.gid);
  } catch {
    // Only root may change the owner. The content matters more.
  }
}

/** A name of a running or killed `putFile` or `createFile`. */
export function isDebris(name: string): boolean {
  return debris.test(name);
}

export function hasDebris(folder: string): boolean {
  return statEntry(folder)?.isDirectory() === true && readdirSync(folder).some(isDebris);
}

/** Not while a `putFile` or `createFile` may be running there. */
export function removeDebris(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isFile() && isDebris(entry.name)) removeQuietly(join(folder, entry.name));
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw storeError("clean", folder, error);
  }
}

/** For a half-written file. */
export function removeQuietly(path: string | Buffer): void {
  // The error that led here is the one to report.
  orElse(() => unlinkSync(path), undefined);
}

/**
 * Writes all bytes at the descriptor's position and checks the file's size: a full disk takes a part without an error.
 */
export function writeWhole(descriptor: number, data: string | Uint8Array): void {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const sizeBefore = fstatSync(descriptor).size;
  let written = 0;
  while (written < bytes.length) {
    const count = writeSync(descriptor, bytes, written, bytes.length - written, null);
    if (count === 0) throw new Error("the system wrote nothing");
    written += count;
  }
  const size = fstatSync(descriptor).size;
  if (size !== sizeBefore + bytes.length) {
    throw new Error(`expected ${sizeBefore + bytes.length} bytes after writing, found ${size}`);
  }
}

/**
 * Copies a regular file or a part of it as durably as `putFile`, with exactly this mode. False, with nothing put in
 * place, if the bytes do not have the expected digest. Throws TP_DISK.
 */
export function copyFile(
  from: Buffer,
  to: Buffer,
  expect: { sha256: string; mode: number },
  range: ByteRange | null = null,
): boolean {
  const folder = to.subarray(0, Math.max(1, to.lastIndexOf(0x2f)));
  const temporary = joinBytes(folder, Buffer.from(temporaryIn("")));
  let placed = false;
  try {
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      const read = hashFile(from, (piece) => writeWhole(descriptor, piece), range);
      if (read.kind !== "file" || read.sha256 !== expect.sha256) return false;
      fchmodSync(descriptor, expect.mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, to);
    placed = true;
    syncFolder(folder);
    return true;
  } catch (error) {
    throw storeError("write", pathKey(to), error);
  } finally {
    if (!placed) removeQuietly(temporary);
  }
}
