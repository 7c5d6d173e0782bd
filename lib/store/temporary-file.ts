import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fchownSync, fsyncSync, openSync, readdirSync, type Stats, unlinkSync } from "node:fs";
import { join } from "node:path";
import { errorCode, storeError } from "./error-code.ts";
import { lookAt } from "./folder.ts";
import { writeWhole } from "./write-whole.ts";

/** Bytes of a file, whole or in pieces that are made one after the other. */
export type Data = string | Uint8Array | Iterable<Uint8Array>;

const debris = /^\.tp-[0-9a-f]{16}\.tmp$/;

/** A new name in the folder, which `isDebris` knows. */
export function temporaryIn(folder: string): string {
  return join(folder, `.tp-${randomBytes(8).toString("hex")}.tmp`);
}

/** Writes a new file of the folder. `wx` never opens what is there, so no link can lead the bytes elsewhere. */
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
    if (owner !== null) keepOwner(descriptor, owner);
    // After the owner: changing that clears bits of the mode.
    if (mode !== null) fchmodSync(descriptor, mode);
    // A file without bytes has nothing to lose; its folder makes the file and its name durable.
    if (durable && !(isWhole && data.length === 0)) fsyncSync(descriptor);
  } catch (error) {
    closeSync(descriptor);
    removeQuietly(temporary);
    throw error;
  }
  closeSync(descriptor);
  return temporary;
}

function keepOwner(descriptor: number, owner: Stats): void {
  if (owner.uid === process.geteuid?.() && owner.gid === process.getegid?.()) return;
  try {
    fchownSync(descriptor, owner.uid, owner.gid);
  } catch {
    // Only root may give files away. The content matters more.
  }
}

/** True for a name that only a `putFile` or `createFile` in progress gives, or one that was killed. */
export function isDebris(name: string): boolean {
  return debris.test(name);
}

/** True if a killed `putFile` or `createFile` left something in this folder, or another is running there. */
export function hasDebris(folder: string): boolean {
  return lookAt(folder)?.isDirectory() === true && readdirSync(folder).some(isDebris);
}

/**
 * Removes what a killed `putFile` or `createFile` left in this folder. Not to be called while another may be running
 * there.
 */
export function removeDebris(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isFile() && isDebris(entry.name)) removeQuietly(join(folder, entry.name));
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw storeError("clean", folder, error);
  }
}

/** For a half-written file that nobody will read. */
export function removeQuietly(path: string | Buffer): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone, or the disk refuses; what led here is the error to report.
  }
}
