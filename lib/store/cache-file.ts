import { TaskPhaseError } from "../report/errors.ts";
import { sha256 } from "../text/sha256.ts";
import { putFile } from "./put-file.ts";
import { readRegularFile } from "./read-file.ts";

/**
 * A digest of the rest, the key as a line of JSON, and the content. Never the truth: a missing, damaged, oversized file
 * or one with another key only costs time.
 */
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

/** Not durable. False if it could not be written. */
export function writeCacheFile(
  { path, key, mostBytes: _, ...put }: CacheFile,
  pieces: readonly (string | Uint8Array)[],
): boolean {
  const body = Buffer.concat([
    headOf(key),
    ...pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  ]);
  try {
    putFile(path, [Buffer.from(sha256(body), "latin1"), body], { ...put, mode: 0o600, durable: false });
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
  try {
    const read = readRegularFile(path, maxBytes);
    return read.kind === "file" ? read.bytes : null;
  } catch {
    return null;
  }
}
