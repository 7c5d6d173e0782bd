import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type FolderSyncs, makeFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { Redactor } from "../text/redact.ts";
import type { Anchor } from "./anchor.ts";
import type { TaskPlace } from "./task-place.ts";

/** Kept copies of an agent's files are cut here; logs are capped if they are captured. */
const maxKeptBytes = 17 * 1024 * 1024;

/**
 * Copies what the runner captured while processes were alive from the spool to the folder of the pass, once nothing is
 * left that could change it. Copies of an agent's own files are redacted on the way.
 */
export function keepSpool(anchor: Anchor, folder: string, redactor: Redactor, syncs: FolderSyncs): void {
  for (const path of listFiles(anchor.spool)) {
    const inside = relative(anchor.spool, path);
    const kept = inside.startsWith(`kept${sep}`);
    // Logs were redacted before they reached the disk.
    const bytes = readSpooled(path, kept ? redactor : null);
    // A pass that was recovered before may have copies already, of something else.
    const target = kept ? freePlace(join(folder, inside), bytes) : join(folder, inside);
    makeFolder(dirname(target), 0o777, syncs);
    putFile(target, bytes, { syncs });
    // A run that was killed may have made a folder on the way whose name is not durable yet.
    for (let at = dirname(target); at.startsWith(dirname(folder)); at = dirname(at)) syncs.add(at);
  }
}

/** Once the copies are durable. What comes back after a power cut is cleared before the next pass. */
export function dropSpool({ spool }: Anchor): void {
  rmSync(spool, { recursive: true, force: true });
}

/**
 * Copies STATE.md to this path, or one beside it, if it holds none of these texts. Gives the path of the copy; null
 * if there is nothing to keep.
 */
export function keepLeftState(
  place: TaskPlace,
  keepAt: string,
  known: readonly (string | null)[],
  redactor: Redactor,
  syncs: FolderSyncs,
): string | null {
  const read = readRegularFile(place.state, maxKeptBytes);
  if (read.kind !== "file") return null;
  const cleaned = Buffer.from(redactor.redact(read.bytes.toString("latin1")), "latin1");
  if ([read.bytes, cleaned].some((bytes) => known.includes(bytes.toString("utf8")))) return null;
  const target = freePlace(keepAt, cleaned);
  makeFolder(dirname(target), 0o777, syncs);
  putFile(target, cleaned, { syncs });
  return target;
}

/** The path, or one with a number added if something else is there. */
export function freePlace(path: string, bytes: Buffer): string {
  for (let number = 1; ; number += 1) {
    const place = number === 1 ? path : `${path}.${number}`;
    const read = readRegularFile(place, maxKeptBytes);
    if (read.kind === "missing" || (read.kind === "file" && read.bytes.equals(bytes))) return place;
  }
}

function readSpooled(path: string, redactor: Redactor | null): Buffer {
  const read = readRegularFile(path, maxKeptBytes);
  if (read.kind === "too_big") return Buffer.from(`[task-phase: not kept, ${read.size} bytes]\n`);
  if (read.kind !== "file") return Buffer.from(`[task-phase: not kept, ${read.kind}]\n`);
  if (redactor === null) return read.bytes;
  // Byte for byte, so that a binary file stays what it is if it holds nothing secret.
  return Buffer.from(redactor.redact(read.bytes.toString("latin1")), "latin1");
}

/** A run that was cut off before its spool was made has none. */
function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}
