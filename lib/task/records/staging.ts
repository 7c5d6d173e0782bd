import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type FolderSyncs, makeFolder, removeAll, statEntry } from "../../store/folder.ts";
import { longestFile, putFile, putOver } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { saveTree } from "../../store/replace-entry.ts";
import { isDebris } from "../../store/temporary-file.ts";
import type { Redactor } from "../../text/redact.ts";
import { sha256 } from "../../text/sha256.ts";
import type { Anchor } from "./anchor.ts";
import type { TaskPlace } from "./task-place.ts";

/** Cut for copies of an agent's files; logs are capped on capture. */
const maxKeptBytes = longestFile;

/** Once no process can write to the staging folder. Redacts copies of an agent's files. */
export function saveStaged(anchor: Anchor, folder: string, redactor: Redactor, syncs: FolderSyncs): void {
  for (const path of listFiles(anchor.staging)) {
    const inside = relative(anchor.staging, path);
    const kept = inside.startsWith(`kept${sep}`);
    // Logs were redacted before they reached the disk.
    const bytes = readStaged(path, kept ? redactor : null);
    // An earlier recovery may have left other copies.
    const target = kept ? freePlace(join(folder, inside), bytes) : join(folder, inside);
    makeFolder(dirname(target), 0o777, syncs);
    putFile(target, bytes, { syncs });
    // A killed run may have made a folder on the way whose name is not durable yet.
    for (let at = dirname(target); at.startsWith(dirname(folder)); at = dirname(at)) syncs.add(at);
  }
}

/** After the copies are durable. What a power cut brings back is cleared before the next pass. */
export function dropStaged({ staging }: Anchor): void {
  removeAll(staging);
}

/** A file of the task folder that a person may be editing at the same time. */
interface EditedFile {
  readonly path: string;
  /** Digests of the runner's own contents. */
  readonly known: readonly string[];
  /** Where anything else is kept, or beside it. */
  readonly keepAt: string;
  readonly redactor: Redactor;
}

/** Durable, with `syncs` once these are made. Returns the path of a copy of unknown contents, if any. */
export function putKeeping(
  { path, known, ...kept }: EditedFile,
  text: string | Buffer,
  syncs?: FolderSyncs,
): string | null {
  let keptAt: string | null = null;
  const expected = [...known, sha256(text)];
  const keep = (there: Buffer | null): boolean => {
    // Too long for memory: as it stands, piece by piece.
    if (there === null && statEntry(path)?.isFile() === true)
      keptAt = saveTree(Buffer.from(path), kept.keepAt, kept.redactor);
    if (there === null) return true;
    const cleaned = clean(there, kept.redactor);
    if (![there, cleaned].some((bytes) => expected.includes(sha256(bytes)))) keptAt = saveCopy(cleaned, kept.keepAt);
    return true;
  };
  putOver(path, text, keep, syncs === undefined ? {} : { syncs });
  return keptAt;
}

/** Durable, at the path or one beside it. */
function saveCopy(bytes: Buffer, keepAt: string): string {
  const target = freePlace(keepAt, bytes);
  makeFolder(dirname(target));
  putFile(target, bytes);
  return target;
}

const proposedName = "STATE.proposed.md";

/** Stages the agent's STATE.md for the pass's folder. `durable`: before another one takes its place. */
export function stageProposal({ staging }: Anchor, bytes: Buffer, redactor: Redactor, durable: boolean): void {
  putFile(join(staging, proposedName), clean(bytes, redactor), { durable });
}

/**
 * `saveStaged` for an interrupted pass. Unless the staging folder has the agent's STATE.md, the file in its place is
 * the agent's, and is kept if it is not `accepted`. Returns the digest of the agent's; anything else there by now is
 * somebody else's.
 */
export function saveInterrupted(
  place: TaskPlace,
  anchor: Anchor,
  folder: string,
  accepted: string,
  redactor: Redactor,
  syncs: FolderSyncs,
): readonly string[] {
  const staged = readRegularFile(join(anchor.staging, proposedName), maxKeptBytes);
  saveStaged(anchor, folder, redactor, syncs);
  if (staged.kind === "file") return [sha256(staged.bytes)];
  const left = readRegularFile(place.state, maxKeptBytes);
  if (left.kind !== "file" || left.bytes.equals(Buffer.from(accepted))) return [];
  const cleaned = clean(left.bytes, redactor);
  putFile(freePlace(join(folder, proposedName), cleaned), cleaned, { syncs });
  return [sha256(left.bytes)];
}

export function freePlace(path: string, bytes: Buffer): string {
  for (let number = 1; ; number += 1) {
    const place = number === 1 ? path : `${path}.${number}`;
    const read = readRegularFile(place, maxKeptBytes);
    if (read.kind === "missing" || (read.kind === "file" && read.bytes.equals(bytes))) return place;
  }
}

function readStaged(path: string, redactor: Redactor | null): Buffer {
  const read = readRegularFile(path, maxKeptBytes);
  if (read.kind === "too_big") return Buffer.from(`[task-phase: not kept, ${read.size} bytes]\n`);
  if (read.kind !== "file") return Buffer.from(`[task-phase: not kept, ${read.kind}]\n`);
  return redactor === null ? read.bytes : clean(read.bytes, redactor);
}

/** Byte for byte, so that a binary file without secrets stays unchanged. */
function clean(bytes: Buffer, redactor: Redactor): Buffer {
  return Buffer.from(redactor.redact(bytes.toString("latin1")), "latin1");
}

/** Empty for a run interrupted before its staging folder was made. */
function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    // Half a copy by a killed run.
    return isDebris(entry.name) ? [] : [path];
  });
}
