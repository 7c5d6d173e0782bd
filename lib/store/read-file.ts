import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import type * as v from "valibot";
import { type ReadShape, readShape } from "../text/shape.ts";
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
 * A regular file of at most `maxBytes`, and its permission bits. Anything else is named, never followed or waited for:
 * a plain read of a pipe would block forever. Throws only TP_DISK, if the machine fails.
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

/** The text of a regular file; null for anything else, and for a larger one. Throws TP_DISK, if the machine fails. */
export function readText(path: string, maxBytes: number): string | null {
  const read = readRegularFile(path, maxBytes);
  return read.kind === "file" ? read.bytes.toString("utf8") : null;
}

/** A missing permission is a fact about the file; a disk error throws TP_DISK. */
export function unreadable(
  path: string | Buffer,
  error: unknown,
): { readonly kind: "unreadable"; readonly code: string } {
  if (machineFault(error) !== null) throw storeError("read", typeof path === "string" ? path : pathKey(path), error);
  return { kind: "unreadable", code: errorCode(error) };
}

/** The caller closes the descriptor. `looked`: a fresh `lstat`. Throws only TP_DISK, if the machine fails. */
export function openRegularFile(path: string | Buffer, looked: Stats | null = null): OpenedFile {
  let descriptor: number;
  try {
    // Look first: even a non-blocking open releases a process at the other end of a pipe.
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
  // A ring of links in a folder above gives ELOOP as well.
  if (code === "ELOOP" || code === "EMLINK") return { kind: "link" };
  return unreadable(path, error);
}

/** Files grow, and under /proc their size is 0: only the end tells. */
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

/** Reads a JSON file of this shape; `problem` says where it deviates. `missing` if there is none. Does not throw. */
export function readJsonFile<Value>(
  path: string,
  schema: v.GenericSchema<unknown, Value>,
  maxBytes: number,
): ReadShape<Value> | { readonly kind: "missing" } {
  const read = readRegularFile(path, maxBytes);
  if (read.kind === "missing") return { kind: "missing" };
  return read.kind === "file"
    ? readShape(schema, read.bytes)
    : { kind: "wrong", problem: `expected a regular file that can be read, found ${read.kind.replace("_", " ")}` };
}

/** The value of a JSON file of this shape; `otherwise` for one that is missing or deviates. Does not throw. */
export function readJsonOr<Value, Other>(
  path: string,
  schema: v.GenericSchema<unknown, Value>,
  maxBytes: number,
  otherwise: Other,
): Value | Other {
  const read = readJsonFile(path, schema, maxBytes);
  return read.kind === "read" ? read.value : otherwise;
}
