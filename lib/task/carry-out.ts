import { closeSync, constants, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Anchor } from "../anchor/anchor.ts";
import type { PendingCommit, WaitingLine } from "../anchor/anchor-shapes.ts";
import { addNote } from "../anchor/left-notes.ts";
import { settleCommit } from "../anchor/records.ts";
import { parseTaskJournal, type TaskJournal } from "../anchor/task-journal.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { dataError } from "../report/errors.ts";
import { appendDurably, syncFile } from "../store/append-file.ts";
import { gatherSyncs, makeFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { sha256 } from "../text/sha256.ts";

const maxFileBytes = 1024 * 1024 * 1024;

/** Safe to repeat: each step gives the same bytes however often it runs. */
export function carryOut(
  place: TaskPlace,
  anchor: Anchor,
  commit: PendingCommit,
  deliver: () => boolean = () => false,
): TaskJournal {
  const journal = writeLine(place, commit);
  const syncs = gatherSyncs();
  if (commit.state !== null) putFile(place.state, commit.state, { syncs });
  for (const file of commit.files) {
    const path = join(place.taskDir, file.path);
    makeFolder(dirname(path));
    if (file.behind === null) putFile(path, file.text, { syncs });
    else appendBehind(path, file.behind, file.text);
  }
  syncs.sync();
  if (commit.note !== undefined && !deliver()) addNote(anchor, commit.note);
  settleCommit(anchor, commit);
  return journal;
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
  const read = readRegularFile(place.journal, maxFileBytes);
  if (read.kind !== "file" && read.kind !== "missing") return null;
  const bytes = read.kind === "file" ? read.bytes : Buffer.alloc(0);
  const before = bytes.subarray(0, commit.journal.size);
  const rest = bytes.subarray(commit.journal.size);
  const line = Buffer.from(`${commit.line}\n`);
  return sha256(before) === commit.journal.sha256 && line.subarray(0, rest.length).equals(rest)
    ? { before, rest }
    : null;
}

/** Cuts what a killed run may have appended already, then appends. */
function appendBehind(path: string, size: number, text: string): void {
  if (sizeOf(path) > size) {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
    try {
      ftruncateSync(descriptor, size);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
  appendDurably(path, text);
}

export function sizeOf(path: string): number {
  const read = readRegularFile(path, maxFileBytes);
  return read.kind === "file" ? read.bytes.length : 0;
}
