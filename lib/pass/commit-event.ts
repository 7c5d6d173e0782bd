import { closeSync, constants, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import type { TaskEvent } from "../machine/events.ts";
import { readHistory } from "../machine/history.ts";
import { dataError, TaskPhaseError } from "../report/errors.ts";
import { appendDurably } from "../store/append-file.ts";
import { formatEvent } from "../store/journal.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readTaskEvent } from "../task-folder/event-schemas.ts";
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

const maxFileBytes = 1024 * 1024 * 1024;

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

export interface Committed {
  /** With the event, whether or not the disk has taken all of it yet. */
  readonly journal: TaskJournal;
  /** What kept the journal, STATE.md or another file from being written; null where all stands there. */
  readonly unfinished: TaskPhaseError | null;
}

/**
 * Accepts one event. The anchor holds it first (that write is the commit point), then the journal, then STATE.md and
 * the files that go with it. A run that is killed, or stopped by a full disk, anywhere between is finished by the next
 * event or by `finishCommit` at the next start. Throws as long as the anchor does not hold the event.
 */
export function commitEvent(request: CommitRequest): Committed {
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
  requireEvent(line);
  const waiting = readCommit(anchor.folder);
  if (waiting !== null) carryOut(place, anchor, waiting);
  noteCommit(anchor, commit);
  try {
    return { journal: carryOut(place, anchor, commit), unfinished: null };
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName !== "failure") throw error;
    const after = Buffer.concat([journal.bytes, Buffer.from(`${line}\n`)]);
    return { journal: parseTaskJournal(after, place.journal), unfinished: error };
  }
}

/** What no reader would take never becomes durable: thrown is a defect of the runner, and nothing is written. */
function requireEvent(line: string): void {
  const event = readTaskEvent(JSON.parse(line) as { type: string });
  if (typeof event === "string") throw new Error(`the runner made an event that it cannot read again: ${event}`);
}

/** An event that a killed run had accepted, for whoever wants to look before it is carried out. */
export interface WaitingEvent {
  readonly seq: number;
  /** The pass that it ends; null where it ends none. */
  readonly pass: number | null;
  /** STATE.md as it was accepted before, and as it is afterwards. */
  readonly before: string | null;
  readonly after: string;
}

/**
 * Finishes the event that a killed run had accepted. `look` is called before STATE.md is written; what it returns is
 * returned, null where it was not called.
 */
export function finishCommit(
  place: TaskPlace,
  anchor: Anchor,
  look: (waiting: WaitingEvent) => string | null,
): string | null {
  const commit = readCommit(anchor.folder);
  if (commit === null) return null;
  const journal = parseTaskJournal(splitJournal(place, commit).before, place.journal);
  const pass = readPass(commit, place.journal, journal);
  const { state } = readHistory(journal.events);
  const waiting = { seq: journal.seq + 1, pass: commit.ends_pass ? pass : null, before: state };
  const looked = commit.state === null ? null : look({ ...waiting, after: commit.state });
  carryOut(place, anchor, commit);
  return looked;
}

/** The pass that the waiting event is about; null where it is about none. It has to be an event that fits the journal. */
function readPass(commit: PendingCommit, path: string, before: TaskJournal): number | null {
  const { events } = parseTaskJournal(Buffer.concat([before.bytes, Buffer.from(`${commit.line}\n`)]), path);
  const event = events.at(-1);
  return event !== undefined && "pass" in event ? event.pass : null;
}

/** True where no event waits, or the journal is the one that it waits for. */
export function fitsJournal(place: TaskPlace, anchor: Anchor): boolean {
  const commit = readCommit(anchor.folder);
  return commit === null || readParts(place, commit) !== null;
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
  const { before, rest } = splitJournal(place, commit);
  const line = Buffer.from(`${commit.line}\n`);
  const after = Buffer.concat([before, line]);
  // Before it is written: a journal with an event that no reader takes would be lost to all of them.
  const journal = parseTaskJournal(after, place.journal);
  if (rest.length === 0) appendDurably(place.journal, line);
  else if (!rest.equals(line)) putFile(place.journal, after);
  return journal;
}

interface JournalParts {
  /** What stood there when the event was accepted. */
  readonly before: Buffer;
  /** As much of the event as was written. */
  readonly rest: Buffer;
}

function splitJournal(place: TaskPlace, commit: PendingCommit): JournalParts {
  const parts = readParts(place, commit);
  if (parts !== null) return parts;
  throw dataError("TP_JOURNAL_CHANGED", "the journal is not what it was when the last event was accepted", {
    file: place.journal,
    fix: "put it back as it was; the event that waits is in the runner's state folder",
  });
}

/** Null where the journal is another one, or somebody went on with it: then nothing of it may be cut off. */
function readParts(place: TaskPlace, commit: PendingCommit): JournalParts | null {
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

function sizeOf(path: string): number {
  const read = readRegularFile(path, maxFileBytes);
  return read.kind === "file" ? read.bytes.length : 0;
}

/** STATE.md's text was looked through before it was accepted, and must stay what it is to the byte. */
export function cleanEvent(event: TaskEvent, redactor: Redactor): { at: string; type: string } {
  const cleaned = redactDeep(event, redactor) as { at: string; type: string };
  return "state" in event ? { ...cleaned, ...{ state: event.state } } : cleaned;
}
