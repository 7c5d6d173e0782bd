import { createHash } from "node:crypto";
import { lstatSync, type Stats } from "node:fs";
import { orElse } from "../text/attempt.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { sha256 } from "../text/sha256.ts";
import { putFile } from "./put-file.ts";
import { readRegularFile } from "./read-file.ts";
import { settledAfterMs } from "./sweep-units.ts";

/** A digest of the rest, the key as a line of JSON, and the content. Never the truth: any damage only costs time. */
export interface CacheFile {
  readonly path: string;
  /** What must match besides the content, such as the version of its form. */
  readonly key: readonly (string | number)[];
  readonly mostBytes: number;
  readonly temporaryIn?: string;
}

const hashLength = 64;

export function readCacheFile({ path, key, mostBytes }: CacheFile): Buffer | null {
  const bytes = readBytes(path, mostBytes);
  if (bytes === null) return null;
  const [head, body] = [headOf(key), bytes.subarray(hashLength)];
  if (bytes.toString("latin1", 0, hashLength) !== sha256(body)) return null;
  return body.subarray(0, head.length).equals(head) ? body.subarray(head.length) : null;
}

/**
 * What `decode` makes of the content; null if it throws, too: whoever can write the file can write a right digest over
 * anything.
 */
export function decodeCacheFile<Value>(cache: CacheFile, decode: (content: Buffer) => Value): Value | null {
  const content = readCacheFile(cache);
  try {
    return content === null ? null : decode(content);
  } catch (error) {
    if (error instanceof TaskPhaseError) throw error;
    return null;
  }
}

/** Not durable. False if it could not be written. */
export function writeCacheFile(
  { path, key, mostBytes: _, ...put }: CacheFile,
  pieces: readonly (string | Uint8Array)[],
): boolean {
  // Never as one: the index of a long list has many megabytes.
  const body = [headOf(key), ...pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece))];
  const hash = createHash("sha256");
  for (const piece of body) hash.update(piece);
  try {
    putFile(path, [Buffer.from(hash.digest("hex"), "latin1"), ...body], { ...put, mode: 0o600, durable: false });
    return true;
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return false;
  }
}

function headOf(key: CacheFile["key"]): Buffer {
  return Buffer.from(`${JSON.stringify(key)}\n`);
}

function readBytes(path: string, maxBytes: number): Buffer | null {
  const read = orElse(() => readRegularFile(path, maxBytes), null);
  return read?.kind === "file" ? read.bytes : null;
}

/**
 * Caches a value in this process while its files keep device, inode, mode, size, mtime and ctime, or stay missing. Does
 * not cache exceptions. Only saves work: what must withstand forged times reads the files. `most` limits the entries;
 * the oldest goes first. `isOwn`: only this process has written the files so far, so that one of this moment counts
 * too.
 */
export function createStatCache<Value>(
  most = Number.POSITIVE_INFINITY,
): (paths: string | readonly string[], compute: () => Value, isOwn?: boolean) => Value {
  const known = new Map<string, { readonly stats: readonly Stat[]; readonly value: Value }>();
  return (paths, compute, isOwn = false) => {
    const list = typeof paths === "string" ? [paths] : paths;
    const name = list.length === 1 && list[0] !== undefined ? list[0] : list.join("\0");
    const stats = list.map(statOf);
    const hit = known.get(name);
    if (hit?.stats.every((was, index) => isSame(was, stats[index])) === true) return hit.value;
    known.delete(name);
    const value = compute();
    if (!stats.includes("unknown") && (isOwn || stats.every(isSettled))) known.set(name, { stats, value });
    if (known.size > most) forgetOldest(known);
    return value;
  };
}

function forgetOldest(known: Map<string, unknown>): void {
  for (const oldest of known.keys()) {
    known.delete(oldest);
    return;
  }
}

/** An unreadable entry may change unnoticed. */
type Stat = Stats | "missing" | "unknown";

const compared = ["dev", "ino", "mode", "size", "mtimeMs", "ctimeMs"] as const;

function statOf(path: string): Stat {
  return orElse(() => lstatSync(path, { throwIfNoEntry: false }) ?? "missing", "unknown");
}

function isSame(was: Stat, now: Stat | undefined): boolean {
  if (typeof was === "string" || typeof now !== "object") return was === now;
  return compared.every((key) => was[key] === now[key]);
}

function isSettled(stats: Stat): boolean {
  return typeof stats === "string" || Date.now() - stats.ctimeMs > settledAfterMs;
}
