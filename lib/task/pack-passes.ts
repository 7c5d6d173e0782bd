import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { maxRecordBytes } from "../documents/judge-record.ts";
import { formatPack, packName, passName, readPack } from "../documents/pass-pack.ts";
import type { TaskEvent } from "../rules/events.ts";
import { mostShownLines } from "../rules/verdict-event.ts";
import { storing } from "../store/error-code.ts";
import { makeFolder, statEntry } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { type ReadResult, readRegularFile } from "../store/read-file.ts";
import { removeEntry } from "../store/replace-entry.ts";
import { listReadable, walkTree } from "../store/walk.ts";
import { dataError } from "../text/errors.ts";
import { passFolder, stands, type TaskPlace } from "./records/task-place.ts";
import { findTaskPatch } from "./work-so-far.ts";

/** What `keep: proof` leaves out: nothing that is decided or shown rests on it once the task is done. */
const dropped =
  /^\d{4,}\/(?:prompt\.md|stdout\.log|stderr\.log|STATE\.(?:before|proposed)\.md|(?:changes|task)\.patch|tickets\.md)$/;

/** What `check` and a reopened task need, and what the pages quote. */
const packed = /^(?:\d{4,}\/(?:(?:pass|watched)\.json|(?:[^/]+\/)+[^/]+\.log)|briefs\/[0-9a-f]{16}\.md)$/;

const passesPrefix = "artifacts/passes/";

/** Longer than this, a file stays as it is. */
const maxPackedBytes = 4 * 1024 * 1024;

/**
 * Leaves of `artifacts/passes/` what proves the task: the records of all passes and what the pages quote in one file,
 * a long patch as it is, and whatever else a person or an agent has there. False if there was nothing to do. A kill in
 * between leaves files that the pack has too, which the next call takes away, or pages that link what is gone: until
 * `endPacking`, each call says that there was something. Throws TP_DISK.
 */
export function packPasses(place: TaskPlace, events: readonly TaskEvent[]): boolean {
  const known = readPackOf(place);
  const newest = findTaskPatch(place, events)?.slice(passesPrefix.length) ?? null;
  const linked = newest !== null && !isShown(place, newest) ? newest : null;
  const paths = walkTree(Buffer.from(place.passes))
    .map((path) => path.toString("utf8").replace(/^\//, ""))
    .filter((path) => path !== linked);
  const files = new Map(known);
  const covered = paths
    .filter((path) => path === newest || packed.test(path))
    .filter((path) => {
      const read = readRegularFile(join(place.passes, path), maxPackedBytes);
      if (read.kind !== "file" || !isUtf8(read.bytes)) return false;
      files.set(path, read.bytes.toString("utf8"));
      return true;
    });
  const gone = [...covered, ...paths.filter((path) => dropped.test(path))];
  if (gone.length === 0 && statEntry(place.checkpoint) === null) return false;
  if (covered.length > 0) putFile(join(place.passes, packName), formatPack(files));
  if (statEntry(place.lastError)?.size === 0) remove(place.lastError);
  for (const path of gone) remove(join(place.passes, path));
  for (const folder of listReadable(place.passes))
    if (folder.isDirectory()) removeEmpty(join(place.passes, folder.name));
  return true;
}

/** Once the pages are those of the pack: takes away a cache of what the journal says, for programs that watch a task at work. */
export function endPacking(place: TaskPlace): void {
  remove(place.checkpoint);
}

/** Puts the packed files back where they were; a file that is there stays. A bad pack: a data error. */
export function unpackPasses(place: TaskPlace): void {
  const files = readPackOf(place);
  if (files.size === 0) return;
  for (const [path, text] of files) {
    const file = join(place.passes, path);
    if (stands(file)) continue;
    makeFolder(join(file, ".."));
    putFile(file, text);
  }
  remove(join(place.passes, packName));
}

/** Reads pass.json of passes: the file, else what the pack has of it, which is read once. A bad pack: a data error. */
export function openRecords(place: TaskPlace): (pass: number) => ReadResult {
  let pack: ReadonlyMap<string, string> | null = null;
  return (pass) => {
    const read = readRegularFile(join(passFolder(place, pass), "pass.json"), maxRecordBytes);
    if (read.kind !== "missing") return read;
    pack ??= readPackOf(place);
    const text = pack.get(`${passName(pass)}/pass.json`);
    return text === undefined ? read : { kind: "file", bytes: Buffer.from(text), mode: 0o644 };
  };
}

/** The packed files by their path, relative to the task folder. A bad pack: a data error. */
export function readPacked(place: TaskPlace): ReadonlyMap<string, string> {
  return new Map([...readPackOf(place)].map(([path, text]) => [`${passesPrefix}${path}`, text]));
}

function readPackOf(place: TaskPlace): ReadonlyMap<string, string> {
  const file = join(place.passes, packName);
  const read = readRegularFile(file, Number.MAX_SAFE_INTEGER);
  if (read.kind === "missing") return new Map();
  const fix = "restore it, for example from git; only task-phase writes it";
  if (read.kind !== "file")
    throw dataError("TP_PACK", `the records of the passes cannot be read: ${read.kind}`, { file, fix });
  const pack = readPack(read.bytes);
  if (pack.kind === "bad")
    throw dataError("TP_PACK", `the records of the passes cannot be read: ${pack.problem}`, {
      file,
      line: pack.line,
      fix,
    });
  return pack.files;
}

/** EVIDENCE.md shows the patch whole; it links one that is longer. */
function isShown(place: TaskPlace, patch: string): boolean {
  const read = readRegularFile(join(place.passes, patch), maxPackedBytes);
  return read.kind === "file" && read.bytes.toString("utf8").split("\n").length <= mostShownLines;
}

function remove(path: string): void {
  storing("remove", path, () => removeEntry(Buffer.from(path)));
}

/** The folder, if only folders are in it. */
function removeEmpty(folder: string): void {
  if (walkTree(Buffer.from(folder)).length === 0) remove(folder);
  else for (const entry of listReadable(folder)) if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
}
