import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync } from "node:fs";
import { storeError } from "./error-code.ts";
import { syncFolder } from "./folder.ts";
import { type ByteRange, hashFile } from "./hash-file.ts";
import { joinBytes, pathKey } from "./path-key.ts";
import { removeQuietly } from "./temporary-file.ts";
import { writeWhole } from "./write-whole.ts";

/**
 * Copies a regular file's bytes, or a part of them, piece by piece, as durably and wholly as `putFile` puts them, with exactly this
 * mode. False, and nothing is put in place, if the bytes read do not have the expected digest. Throws TP_DISK.
 */
export function copyFile(
  from: Buffer,
  to: Buffer,
  expect: { sha256: string; mode: number },
  range: ByteRange | null = null,
): boolean {
  const folder = to.subarray(0, Math.max(1, to.lastIndexOf(0x2f)));
  const temporary = joinBytes(folder, Buffer.from(`.tp-${randomBytes(8).toString("hex")}.tmp`));
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
