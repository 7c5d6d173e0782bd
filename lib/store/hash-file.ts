import { createHash, hash as hashOnce } from "node:crypto";
import { closeSync, readSync, type Stats } from "node:fs";
import { openRegularFile, unreadable } from "./read-file.ts";

export type HashedFile =
  | { readonly kind: "file"; readonly sha256: string; readonly size: number; readonly stats: Stats }
  | { readonly kind: "missing" | "link" | "folder" | "special" }
  | { readonly kind: "unreadable"; readonly code: string };

const chunkBytes = 1 << 18;
const chunk = Buffer.allocUnsafeSlow(chunkBytes);

/** A part of a file, in bytes. */
export interface ByteRange {
  readonly from: number;
  readonly length: number;
}

/**
 * The SHA-256 of a regular file or of a part of it, read piece by piece; `onChunk` sees each piece before the next one
 * is read into the same buffer. Nothing is followed and nothing is waited for. Throws TP_DISK if the machine fails, and
 * what `onChunk` throws.
 */
export function hashFile(
  path: string | Buffer,
  onChunk: (piece: Buffer) => void = () => undefined,
  range: ByteRange | null = null,
): HashedFile {
  const opened = openRegularFile(path);
  if (opened.kind !== "open") return opened;
  const hash = createHash("sha256");
  let size = 0;
  try {
    for (;;) {
      const count = readPiece(path, opened.descriptor, size, range);
      if (typeof count !== "number") return count;
      if (count === 0) break;
      const piece = chunk.subarray(0, count);
      hash.update(piece);
      onChunk(piece);
      size += count;
    }
  } finally {
    closeSync(opened.descriptor);
  }
  return { kind: "file", sha256: hash.digest("hex"), size, stats: opened.stats };
}

/**
 * The same of a file that `lstat` just looked at, as cheaply as it can be had for a small one: it is read by one call,
 * and is whole if that gave as many bytes as it has, where there was room for more.
 */
export function hashLooked(path: string | Buffer, looked: Stats): HashedFile {
  if (looked.size >= chunkBytes) return hashFile(path);
  const opened = openRegularFile(path, looked);
  if (opened.kind !== "open") return opened;
  const { descriptor, stats } = opened;
  try {
    const size = readPiece(path, descriptor, 0, null);
    if (typeof size !== "number") return size;
    if (size === stats.size && size < chunkBytes)
      return { kind: "file", sha256: hashOnce("sha256", chunk.subarray(0, size)), size, stats };
  } finally {
    closeSync(descriptor);
  }
  // It grows, or its size says nothing.
  return hashFile(path);
}

function readPiece(path: string | Buffer, descriptor: number, done: number, range: ByteRange | null) {
  const most = range === null ? chunkBytes : Math.min(chunkBytes, range.length - done);
  try {
    return readSync(descriptor, chunk, 0, most, range === null ? null : range.from + done);
  } catch (error) {
    return unreadable(path, error);
  }
}
