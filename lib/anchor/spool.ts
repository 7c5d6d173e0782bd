import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type FolderSyncs, makeFolder, removeAll } from "../store/folder.ts";
import { putFile, putOver } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { isDebris } from "../store/temporary-file.ts";
import type { Redactor } from "../text/redact.ts";
import { sha256 } from "../text/sha256.ts";
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
  removeAll(spool);
}

/** A file of the task folder that a person may be editing while the runner writes it. */
export interface EditedFile {
  readonly path: string;
  /** The digests of what it may hold: what the runner put there, or decided on. */
  readonly known: readonly string[];
  /** Where anything else is kept, or beside it. */
  readonly keepAt: string;
  readonly redactor: Redactor;
}

/**
 * Puts the text in place durably, with `syncs` once these are made. Gives the path of the copy if the file held
 * something else than what is known, by then; null if nothing had to be kept.
 */
export function putKeeping(
  { path, known, ...kept }: EditedFile,
  text: string | Buffer,
  syncs?: FolderSyncs,
): string | null {
  let keptAt: string | null = null;
  const expected = [...known, sha256(text)];
  const keep = (there: Buffer | null): boolean => {
    if (there === null) return true;
    const cleaned = clean(there, kept.redactor);
    if (![there, cleaned].some((bytes) => expected.includes(sha256(bytes)))) keptAt = keepCopy(cleaned, kept.keepAt);
    return true;
  };
  putOver(path, text, keep, syncs === undefined ? {} : { syncs });
  return keptAt;
}

/** Durably, at the path or one beside it. */
function keepCopy(bytes: Buffer, keepAt: string): string {
  const target = freePlace(keepAt, bytes);
  makeFolder(dirname(target));
  putFile(target, bytes);
  return target;
}

const proposedName = "STATE.proposed.md";

/**
 * The agent's STATE.md, in the spool until it comes to the folder of the pass. `durable`: before another one is in its
 * place.
 */
export function spoolProposal({ spool }: Anchor, bytes: Buffer, redactor: Redactor, durable: boolean): void {
  putFile(join(spool, proposedName), clean(bytes, redactor), { durable });
}

/**
 * As `keepSpool`, for a pass that was cut off. Unless the spool holds the agent's STATE.md already, what stands in its
 * place is the agent's and is kept beside, if it is not this text. Gives the digest of the agent's: what else is there
 * by now is somebody else's.
 */
export function keepCutOff(
  place: TaskPlace,
  anchor: Anchor,
  folder: string,
  accepted: string,
  redactor: Redactor,
  syncs: FolderSyncs,
): readonly string[] {
  const spooled = readRegularFile(join(anchor.spool, proposedName), maxKeptBytes);
  keepSpool(anchor, folder, redactor, syncs);
  if (spooled.kind === "file") return [sha256(spooled.bytes)];
  const left = readRegularFile(place.state, maxKeptBytes);
  if (left.kind !== "file" || left.bytes.equals(Buffer.from(accepted))) return [];
  const cleaned = clean(left.bytes, redactor);
  putFile(freePlace(join(folder, proposedName), cleaned), cleaned, { syncs });
  return [sha256(left.bytes)];
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
  return redactor === null ? read.bytes : clean(read.bytes, redactor);
}

/** Byte for byte, so that a binary file stays what it is if it holds nothing secret. */
function clean(bytes: Buffer, redactor: Redactor): Buffer {
  return Buffer.from(redactor.redact(bytes.toString("latin1")), "latin1");
}

/** A run that was cut off before its spool was made has none. */
function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    // Half of a copy that a killed run was writing.
    return isDebris(entry.name) ? [] : [path];
  });
}
