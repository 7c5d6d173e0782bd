import { createHash } from "node:crypto";
import { closeSync, openSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { contentBounds, startMeter } from "../git/content-bounds.ts";
import { readEntry } from "../git/content-entries.ts";
import { type Fingerprint, parseEntries, serializeEntries } from "../git/fingerprint-entries.ts";
import { openBlobPool } from "../store/blob-pool.ts";
import { storing } from "../store/error-code.ts";
import { makeFolder, removeAll, statEntry } from "../store/folder.ts";
import { hashFile } from "../store/hash-file.ts";
import { bytesIn } from "../store/path-key.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { writeWhole } from "../store/temporary-file.ts";
import { listFolder } from "../store/walk.ts";

/** The work as at pass 1: every file and link that the repo listed then, kept by content. */
export interface Origin {
  /** The hash of the entries. */
  readonly fingerprint: string;
  readonly entries: ReadonlyMap<string, string>;
  /** Where the bytes of a file, or the text of a link, are kept. They may be damaged: check them after reading. */
  blobPath(digest: string): string;
}

/** Where it is kept: a folder of the task's anchor, and one for what tasks on the same repo have in common. */
export interface OriginPlace {
  readonly folder: string;
  readonly pool: string;
}

/** More than the entries of the largest repo that is kept. */
const mostListBytes = 256 * 1024 * 1024;

/**
 * Keeps what the fingerprint lists. Gives the reason if it is too large, and keeps nothing then. A file that changes
 * meanwhile is not kept, and is missed if it is needed. Throws TP_DISK.
 */
export async function saveOrigin(
  { folder, pool: poolFolder }: OriginPlace,
  repo: string,
  fingerprint: Fingerprint,
): Promise<string | null> {
  const blobs = join(folder, "blobs");
  const pool = openBlobPool(poolFolder, blobs);
  const meter = startMeter("the repo", contentBounds, () => performance.now());
  // Of a run that was killed here; a file of it may not be whole.
  if (statEntry(blobs) !== null) dropOrigin({ folder, pool: poolFolder });
  makeFolder(blobs, 0o700);
  pool.open();
  const done = new Set<string>();
  let count = 0;
  for (const [path, text] of fingerprint.entries) {
    count += 1;
    if (count % 64 === 0) await nextTurn();
    const entry = readEntry(text);
    if (entry === null) continue;
    const from = bytesIn(repo, path);
    const size = statEntry(from)?.size ?? 0;
    const tooMuch = meter.add(size);
    if (tooMuch !== null) {
      dropOrigin({ folder, pool: poolFolder });
      return tooMuch;
    }
    const { digest } = entry;
    if (done.has(digest)) continue;
    let kept = pool.take(digest, size);
    if (!kept) {
      kept = entry.kind === "link" ? saveLink(from, blobs, digest) : saveFile(from, blobs, digest);
      if (kept) pool.give(digest);
    }
    if (kept) done.add(digest);
  }
  putFile(join(folder, "entries.jsonl"), serializeEntries(fingerprint.entries), { mode: 0o600 });
  return null;
}

/** The origin whose fingerprint is this one; null if this machine does not have it. */
export function openOrigin({ folder }: Pick<OriginPlace, "folder">, fingerprint: string | null): Origin | null {
  const read = readRegularFile(join(folder, "entries.jsonl"), mostListBytes);
  const parsed = read.kind === "file" ? parseEntries(read.bytes.toString("utf8")) : null;
  if (parsed === null || parsed.hash !== fingerprint) return null;
  return { fingerprint: parsed.hash, entries: parsed.entries, blobPath: (digest) => join(folder, "blobs", digest) };
}

const mostTextBytes = 1024 * 1024;

/** The text of a regular file as at pass 1; null if there was none, or a larger one, or it is damaged. */
export function readOriginText(origin: Origin, path: string, mostBytes = mostTextBytes): string | null {
  const entry = readEntry(origin.entries.get(path) ?? "");
  if (entry?.kind !== "file") return null;
  const read = readRegularFile(origin.blobPath(entry.digest), mostBytes);
  if (read.kind !== "file" || createHash("sha256").update(read.bytes).digest("hex") !== entry.digest) return null;
  return read.bytes.toString("utf8");
}

/** Removes it, and of the common folder what no other task needs. */
export function dropOrigin({ folder, pool: poolFolder }: OriginPlace): void {
  const blobs = join(folder, "blobs");
  const pool = openBlobPool(poolFolder, blobs);
  const names =
    statEntry(blobs) === null ? [] : listFolder(Buffer.from(blobs)).map(({ name }) => name.toString("latin1"));
  removeAll(folder);
  for (const name of names) pool.drop(name);
}

/** Not synced: a file that a power cut damages is found by its digest when it is read. */
function saveFile(from: Buffer, blobs: string, digest: string): boolean {
  const target = join(blobs, digest);
  let same = false;
  return storing("keep a copy at", target, () => {
    const descriptor = openSync(target, "wx", 0o600);
    try {
      const read = hashFile(from, (piece) => writeWhole(descriptor, piece));
      same = read.kind === "file" && read.sha256 === digest;
    } finally {
      closeSync(descriptor);
      if (!same) rmSync(target);
    }
    return same;
  });
}

function saveLink(from: Buffer, blobs: string, digest: string): boolean {
  const target = join(blobs, digest);
  return storing("keep a copy at", target, () => {
    if (statEntry(from)?.isSymbolicLink() !== true) return false;
    const text = readlinkSync(from, { encoding: "buffer" });
    if (createHash("sha256").update(text).digest("hex") !== digest) return false;
    writeFileSync(target, text, { mode: 0o600 });
    return true;
  });
}
