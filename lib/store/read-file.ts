import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { errorCode, machineFault, storeError } from "./error-code.ts";
import { pathKey } from "./path-key.ts";

export type ReadResult =
  | { readonly kind: "file"; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: "missing" }
  | { readonly kind: "link" }
  | { readonly kind: "folder" }
  /** A pipe, a socket or a device. */
  | { readonly kind: "special" }
  | { readonly kind: "too_big"; readonly size: number }
  | { readonly kind: "unreadable"; readonly code: string };

export type OpenedFile =
  | { readonly kind: "open"; readonly descriptor: number; readonly stats: Stats }
  | Exclude<ReadResult, { kind: "file" } | { kind: "too_big" }>;

/**
 * The bytes of a regular file of at most `maxBytes`, and its permission bits. Whatever else is there is named,
 * never followed and never waited for: reading a pipe the plain way would hang forever. Throws TP_DISK if the machine
 * fails, and nothing else.
 */
export function readRegularFile(path: string | Buffer, maxBytes: number): ReadResult {
  const opened = openRegularFile(path);
  if (opened.kind !== "open") return opened;
  try {
    if (opened.stats.size > maxBytes) return { kind: "too_big", size: opened.stats.size };
    const bytes = readUpTo(opened.descriptor, opened.stats.size, maxBytes + 1);
    if (bytes.length > maxBytes) return { kind: "too_big", size: bytes.length };
    return { kind: "file", bytes, mode: opened.stats.mode & 0o7777 };
  } catch (error) {
    return unreadable(path, error);
  } finally {
    closeSync(opened.descriptor);
  }
}

/** A missing permission is a fact about a file, an error of the disk is none: that throws TP_DISK. */
export function unreadable(
  path: string | Buffer,
  error: unknown,
): { readonly kind: "unreadable"; readonly code: string } {
  if (machineFault(error) !== null) throw storeError("read", typeof path === "string" ? path : pathKey(path), error);
  return { kind: "unreadable", code: errorCode(error) };
}

/**
 * Opens a regular file for reading; the caller closes the descriptor. `looked`: what `lstat` just said of it. Throws
 * TP_DISK if the machine fails, and nothing else.
 */
export function openRegularFile(path: string | Buffer, looked: Stats | null = null): OpenedFile {
  let descriptor: number;
  try {
    // Looked at first: even an open that does not wait lets go whoever waits at the other end of a pipe.
    const kind = kindOf(looked ?? lstatSync(path));
    if (kind !== null) return { kind };
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return whyNotOpened(path, error);
  }
  try {
    const stats = fstatSync(descriptor);
    const kind = kindOf(stats);
    if (kind === null) return { kind: "open", descriptor, stats };
    closeSync(descriptor);
    return { kind };
  } catch (error) {
    closeSync(descriptor);
    return unreadable(path, error);
  }
}

/** Null for a regular file. */
function kindOf(stats: Stats): "link" | "folder" | "special" | null {
  if (stats.isFile()) return null;
  if (stats.isSymbolicLink()) return "link";
  return stats.isDirectory() ? "folder" : "special";
}

function whyNotOpened(path: string | Buffer, error: unknown): OpenedFile {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
  // A folder above that is a ring of links gives ELOOP as well: a link it is in both cases.
  if (code === "ELOOP" || code === "EMLINK") return { kind: "link" };
  return unreadable(path, error);
}

/** A file can grow while it is read, and files under /proc say that their size is 0: only the end tells. */
function readUpTo(descriptor: number, expected: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < limit) {
    const room = Math.min(Math.max(expected - total + 1, 4096), 1 << 20, limit - total);
    const chunk = Buffer.allocUnsafe(room);
    const count = readSync(descriptor, chunk, 0, room, null);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  return Buffer.concat(chunks, total);
}
