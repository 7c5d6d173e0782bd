import { constants, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { appendDurably, syncFile } from "../store/append-file.ts";
import { gatherSyncs, makeFolder, statEntry } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { withFile } from "../store/with-file.ts";
import { dataError } from "../text/errors.ts";
import type { Redactor } from "../text/redact.ts";
import { sha256 } from "../text/sha256.ts";
import type { Anchor } from "./records/anchor.ts";
import type { PendingCommit, WaitingLine } from "./records/anchor-shapes.ts";
import { addNote, settleCommit } from "./records/records.ts";
import { putKeeping } from "./records/staging.ts";
import { parseTaskJournal, type TaskJournal } from "./records/task-journal.ts";
import { passFolder, type TaskPlace } from "./records/task-place.ts";

/**
 * Safe to repeat: each step gives the same bytes however often it runs. `kept`: copies of what was in files that people
 * edit, and that the event did not know of.
 */
export function carryOut(
  place: TaskPlace,
  anchor: Anchor,
  commit: PendingCommit,
  redactor: Redactor,
  deliver: () => boolean = () => false,
) {
  const journal = writeLine(place, commit);
  const syncs = gatherSyncs();
  const kept: string[] = [];
  const put = (name: string, text: string) => {
    const path = join(place.taskDir, name);
    const known = commit.over?.[name];
    if (known === undefined) return putFile(path, text, { syncs });
    const copy = putKeeping({ path, known, keepAt: keptAt(place, journal, name), redactor }, text, syncs);
    if (copy !== null) kept.push(copy);
  };
  if (commit.state !== null) put("STATE.md", commit.state);
  for (const file of commit.files) {
    const path = join(place.taskDir, file.path);
    makeFolder(dirname(path));
    if (file.behind === null) put(file.path, file.text);
    else appendBehind(path, file.behind, file.text);
  }
  syncs.sync();
  if (commit.note !== undefined && !deliver()) addNote(anchor, commit.note);
  settleCommit(anchor, commit);
  return { journal, kept };
}

/** With the pass that the newest event ends; else under the event's number. */
function keptAt(place: TaskPlace, { events, seq }: TaskJournal, name: string): string {
  const event = events.at(-1);
  if (event?.type === "verdict") return join(passFolder(place, event.pass), "kept", name);
  return join(place.passes, "recovered", String(seq).padStart(4, "0"), name);
}

/** Durably; with `appendLoosely` not yet. */
export function writeLine(place: TaskPlace, commit: WaitingLine, append = appendDurably): TaskJournal {
  makeFolder(place.artifacts);
  const { before, rest } = splitJournal(place, commit);
  const line = Buffer.from(`${commit.line}\n`);
  const after = Buffer.concat([before, line]);
  // Before it is written: a journal with an event that no reader takes would be lost to all of them.
  const journal = parseTaskJournal(after, place.journal);
  if (rest.length === 0) append(place.journal, line);
  else if (rest.equals(line)) syncFile(place.journal);
  else putFile(place.journal, after);
  return journal;
}

interface JournalParts {
  /** The content when the event was accepted. */
  readonly before: Buffer;
  /** As much of the event as was written. */
  readonly rest: Buffer;
}

export function splitJournal(place: TaskPlace, commit: WaitingLine): JournalParts {
  const parts = readParts(place, commit);
  if (parts !== null) return parts;
  throw dataError("TP_JOURNAL_CHANGED", "the journal has changed since the last event was accepted", {
    file: place.journal,
    fix: "restore it; the waiting event is in the runner's state folder",
  });
}

/** Null if the journal is another one, or someone continued with it: then nothing of it may be cut off. */
export function readParts(place: TaskPlace, commit: WaitingLine): JournalParts | null {
  const line = Buffer.from(`${commit.line}\n`);
  const read = readRegularFile(place.journal, commit.journal.size + line.length);
  if (read.kind !== "file" && read.kind !== "missing") return null;
  const bytes = read.kind === "file" ? read.bytes : Buffer.alloc(0);
  const before = bytes.subarray(0, commit.journal.size);
  const rest = bytes.subarray(commit.journal.size);
  return sha256(before) === commit.journal.sha256 && isPartOf(rest, line) ? { before, rest } : null;
}

/** Cuts what a killed run may have appended already, then appends. What anybody else appended stays. */
function appendBehind(path: string, size: number, text: string): void {
  if (isOurs(path, size, Buffer.from(text))) {
    withFile(openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW), (descriptor) => {
      ftruncateSync(descriptor, size);
      fsyncSync(descriptor);
    });
  }
  appendDurably(path, text);
}

function isOurs(path: string, size: number, text: Buffer): boolean {
  const read = readRegularFile(path, size + text.length);
  const tail = read.kind === "file" ? read.bytes.subarray(size) : Buffer.alloc(0);
  return tail.length > 0 && isPartOf(tail, text);
}

/** Whether this is as much of the text as was written. A power cut can leave zeros in the place of bytes. */
function isPartOf(tail: Buffer, text: Buffer): boolean {
  return tail.every((byte, index) => byte === 0 || byte === text[index]);
}

export function sizeOf(path: string): number {
  const stats = statEntry(path);
  return stats?.isFile() === true ? stats.size : 0;
}
