import { TaskPhaseError } from "../report/errors.ts";
import { sha256 } from "../text/sha256.ts";
import { putFile } from "./put-file.ts";
import { readRegularFile } from "./read-file.ts";

/**
 * A cache on disk: a digest of all that follows, the key as a line of JSON, and the content. It is never the truth: a
 * file that is missing, damaged, too large or of another key only costs the time to make its content again.
 */
export interface CacheFile {
  readonly path: string;
  /** The things besides the content that must be the same, for example the version of its form. */
  readonly key: readonly (string | number)[];
  readonly mostBytes: number;
  /** As for `putFile`. */
  readonly temporaryIn?: string;
}

const hashLength = 64;

/** Null if there is nothing to use. */
export function readCacheFile({ path, key, mostBytes }: CacheFile): Buffer | null {
  const bytes = readBytes(path, mostBytes);
  if (bytes === null) return null;
  const [head, body] = [headOf(key), bytes.subarray(hashLength)];
  if (bytes.toString("latin1", 0, hashLength) !== sha256(body)) return null;
  return body.subarray(0, head.length).equals(head) ? body.subarray(head.length) : null;
}

/** Not durable: a power cut may take it. False if it could not be written. */
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
