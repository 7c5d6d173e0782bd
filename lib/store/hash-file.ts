import { createHash, hash as hashOnce } from "node:crypto";
import { closeSync, readSync, type Stats } from "node:fs";
import { openRegularFile, unreadable } from "./read-file.ts";

export type HashedFile =
  | { readonly kind: "file"; readonly sha256: string; readonly size: number; readonly stats: Stats }
  | { readonly kind: "missing" | "link" | "folder" | "special" }
  | { readonly kind: "unreadable"; readonly code: string };

const chunkBytes = 1 << 18;
const chunk = Buffer.allocUnsafeSlow(chunkBytes);

export interface ByteRange {
  readonly from: number;
  readonly length: number;
}

/**
 * SHA-256 of a regular file or a part, read in pieces; `onChunk` sees each before the buffer is reused. Follows nothing
 * and waits for nothing. Throws TP_DISK if the machine fails, and what `onChunk` throws.
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

/** `hashFile` after an `lstat`: small files take one read, complete if it gave the expected size with room for more. */
export function hashLooked(path: string | Buffer, looked: Stats): HashedFile {
  if (looked.size >= chunkBytes) return hashFile(path);
  const opened = openRegularFile(path, looked);
  if (opened.kind !== "open") return opened;
  const { descriptor, stats } = opened;
  try {
    const size = readPiece(path, descriptor, 0, null);
    if (typeof size === "number" && size === stats.size && size < chunkBytes)
      return { kind: "file", sha256: hashOnce("sha256", chunk.subarray(0, size)), size, stats };
  } finally {
    closeSync(descriptor);
  }
  // It grows, its size says nothing, or it could not be read.
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
