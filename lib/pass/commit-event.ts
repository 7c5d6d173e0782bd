import { closeSync, constants, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import type { TaskEvent } from "../machine/events.ts";
import { dataError } from "../report/errors.ts";
import { appendDurably } from "../store/append-file.ts";
import { formatEvent } from "../store/journal.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { Redactor } from "../text/redact.ts";
import { sha256 } from "../text/sha256.ts";
import {
  type Anchor,
  clearCommit,
  clearCurrent,
  noteCommit,
  noteHead,
  type PendingCommit,
  readCommit,
} from "./anchor.ts";
import { redactDeep } from "./redact-deep.ts";
import { parseTaskJournal, type TaskJournal } from "./task-journal.ts";
import type { TaskPlace } from "./task-place.ts";

/** A file of the task folder that becomes durable together with an event. */
export interface CommitFile {
  readonly path: string;
  readonly text: string;
  /** Appended to what is there instead of replacing it. */
  readonly append: boolean;
}

export interface CommitRequest {
  readonly place: TaskPlace;
  readonly anchor: Anchor;
  readonly journal: TaskJournal;
  readonly event: TaskEvent;
  /** The whole STATE.md afterwards; null where the event leaves it alone. */
  readonly state: string | null;
  readonly files?: readonly CommitFile[];
  readonly endsPass?: boolean;
  readonly redactor: Redactor;
}

/**
 * Accepts one event. The anchor holds it first (that write is the commit point), then the journal, then STATE.md and
 * the files that go with it. A run that is killed anywhere between is finished by `finishCommit` at the next start.
 */
export function commitEvent(request: CommitRequest): TaskJournal {
  const { place, anchor, journal } = request;
  const { line } = formatEvent(journal.head, journal.seq + 1, cleanEvent(request.event, request.redactor));
  const commit: PendingCommit = {
    version: 1,
    journal: { size: journal.bytes.length, sha256: journal.sha256 },
    line,
    state: request.state,
    files: (request.files ?? []).map((file) => ({
      path: file.path,
      text: request.redactor.redact(file.text),
      behind: file.append ? sizeOf(join(place.taskDir, file.path)) : null,
    })),
    ends_pass: request.endsPass ?? false,
  };
  noteCommit(anchor, commit);
  return carryOut(place, anchor, commit);
}

/** Finishes the event that a killed run had accepted; false where there is none. */
export function finishCommit(place: TaskPlace, anchor: Anchor): boolean {
  const commit = readCommit(anchor.folder);
  if (commit === null) return false;
  carryOut(place, anchor, commit);
  return true;
}

/** Safe to repeat: each step gives the same bytes however often it runs. */
function carryOut(place: TaskPlace, anchor: Anchor, commit: PendingCommit): TaskJournal {
  const journal = writeLine(place, commit);
  if (commit.state !== null) putFile(place.state, commit.state);
  for (const file of commit.files) {
    const path = join(place.taskDir, file.path);
    if (file.behind === null) putFile(path, file.text);
    else appendBehind(path, file.behind, file.text);
  }
  if (journal.head !== null) noteHead(anchor, journal.head);
  if (commit.ends_pass) clearCurrent(anchor);
  clearCommit(anchor);
  return journal;
}

function writeLine(place: TaskPlace, commit: PendingCommit): TaskJournal {
  makeFolder(place.artifacts);
  const read = readRegularFile(place.journal, 1024 * 1024 * 1024);
  const bytes = read.kind === "file" ? read.bytes : Buffer.alloc(0);
  const before = bytes.subarray(0, commit.journal.size);
  if ((read.kind !== "file" && read.kind !== "missing") || sha256(before) !== commit.journal.sha256) {
    throw dataError("TP_JOURNAL_CHANGED", "the journal is not what it was when the last event was accepted", {
      file: place.journal,
      fix: "put it back as it was; the event that waits is in the runner's state folder",
    });
  }
  const line = Buffer.from(`${commit.line}\n`);
  const after = Buffer.concat([before, line]);
  if (!bytes.equals(after)) {
    if (bytes.length === before.length) appendDurably(place.journal, line);
    else putFile(place.journal, after);
  }
  return parseTaskJournal(after, place.journal);
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

function sizeOf(path: string): number {
  const read = readRegularFile(path, 1024 * 1024 * 1024);
  return read.kind === "file" ? read.bytes.length : 0;
}

/** STATE.md's text was looked through before it was accepted, and must stay what it is to the byte. */
export function cleanEvent(event: TaskEvent, redactor: Redactor): { at: string; type: string } {
  const cleaned = redactDeep(event, redactor) as { at: string; type: string };
  return "state" in event ? { ...cleaned, ...{ state: event.state } } : cleaned;
}
