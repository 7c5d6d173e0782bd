import { join } from "node:path";
import type { TaskEvent } from "../rules/events.ts";
import { parseTaskEvent } from "../rules/shapes/events.ts";
import { appendLoosely } from "../store/append-file.ts";
import { formatEvent } from "../store/journal.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { type Redactor, redactDeep } from "../text/redact.ts";
import { sha256 } from "../text/sha256.ts";
import { carryOut, readParts, sizeOf, writeLine } from "./carry-out.ts";
import type { Anchor } from "./records/anchor.ts";
import type { PendingCommit, WaitingLine } from "./records/anchor-shapes.ts";
import { currentMark, readCommit, recordCommit } from "./records/records.ts";
import { parseTaskJournal, type TaskJournal } from "./records/task-journal.ts";
import type { TaskPlace } from "./records/task-place.ts";

/** A file of the task folder that becomes durable together with an event. */
export interface CommitFile {
  readonly path: string;
  readonly text: string;
  /** Appended to what is there instead of replacing it. */
  readonly append: boolean;
  /** A file that people edit: the bytes that the text was made from, null if there were none. */
  readonly over?: Buffer | null;
}

/** A note that goes with an event, as JSON. */
export interface CommitNote {
  readonly text: string;
  /** Called once the files are durable. False: it could not be written, and waits in the anchor. */
  readonly deliver: () => boolean;
}

export interface CommitRequest {
  readonly place: TaskPlace;
  readonly anchor: Anchor;
  readonly journal: TaskJournal;
  readonly event: TaskEvent;
  /** The whole STATE.md afterwards; null if the event leaves it alone. */
  readonly state: string | null;
  /** The digests of what STATE.md may hold before; anything else is a person's, and is kept. */
  readonly over: readonly string[];
  readonly files?: readonly CommitFile[];
  readonly endsPass?: boolean;
  readonly note?: CommitNote;
  readonly redactor: Redactor;
}

export interface Committed {
  /** With the event, whether or not the disk has taken all of it yet. */
  readonly journal: TaskJournal;
  /** The error that kept the journal, STATE.md or another file from being written; null if all were written. */
  readonly unfinished: TaskPhaseError | null;
  /** As in `carryOut`. */
  readonly kept: readonly string[];
}

/**
 * Accepts one event. The anchor holds it first (that write is the commit point), then the journal, then STATE.md and
 * the files that go with it. A run that is killed, or stopped by a full disk, anywhere between is finished by the next
 * event or by `finishCommit` at the next start. Throws as long as the anchor does not hold the event.
 */
export function commitEvent(request: CommitRequest): Committed {
  const { place, anchor, journal } = request;
  const { line } = formatEvent(journal.head, journal.seq + 1, cleanEvent(request.event, request.redactor));
  const files = request.files ?? [];
  const ends = request.endsPass === true ? currentMark(anchor.folder) : null;
  const commit: PendingCommit = {
    version: 1,
    journal: { size: journal.bytes.length, sha256: journal.sha256 },
    line,
    state: request.state,
    over: {
      ...(request.state === null ? {} : { "STATE.md": [...request.over] }),
      ...Object.fromEntries(files.flatMap(({ path, over }) => (over === undefined ? [] : [[path, digestOf(over)]]))),
    },
    files: files.map((file) => ({
      path: file.path,
      text: request.redactor.redact(file.text),
      behind: file.append ? sizeOf(join(place.taskDir, file.path)) : null,
    })),
    ends_pass: request.endsPass ?? false,
    ...(ends === null ? {} : { ends }),
    ...(request.note === undefined ? {} : { note: request.note.text }),
  };
  requireEvent(line);
  const waiting = readCommit(anchor.folder);
  const earlier = waiting === null ? [] : carryOut(place, anchor, waiting, request.redactor).kept;
  recordCommit(anchor, commit);
  try {
    const { journal, kept } = carryOut(place, anchor, commit, request.redactor, request.note?.deliver);
    return { journal, unfinished: null, kept: [...earlier, ...kept] };
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName !== "failure") throw error;
    const after = Buffer.concat([journal.bytes, Buffer.from(`${line}\n`)]);
    return { journal: parseTaskJournal(after, place.journal), unfinished: error, kept: earlier };
  }
}

function digestOf(bytes: Buffer | null): string[] {
  return bytes === null ? [] : [sha256(bytes)];
}

/**
 * Accepts the event that begins a pass: `record` makes it durable in the anchor, with the record of the pass, which
 * counts the journal as it is afterwards. Only then the journal gets it, and holds it durably with the verdict of the
 * pass at the latest, which is before the record goes. Throws TP_DISK.
 */
export function startEvent<Value>(
  request: Pick<CommitRequest, "place" | "anchor" | "journal" | "event" | "redactor">,
  record: (started: WaitingLine, journal: Buffer) => Value,
): { journal: TaskJournal; recorded: Value } {
  const { place, anchor, journal } = request;
  const { line } = formatEvent(journal.head, journal.seq + 1, cleanEvent(request.event, request.redactor));
  requireEvent(line);
  const waiting = readCommit(anchor.folder);
  if (waiting !== null) carryOut(place, anchor, waiting, request.redactor);
  const started = { journal: { size: journal.bytes.length, sha256: journal.sha256 }, line };
  const recorded = record(started, Buffer.concat([journal.bytes, Buffer.from(`${line}\n`)]));
  return { journal: writeLine(place, started, appendLoosely), recorded };
}

/** The journal gets the event that began a pass which was cut off, unless it became another one. */
export function finishStart(place: TaskPlace, started: WaitingLine): void {
  if (readParts(place, started) !== null) writeLine(place, started);
}

/** The event of a line. What no reader would take never becomes durable: what is thrown is a defect of the runner. */
export function requireEvent(line: string): TaskEvent {
  const event = parseTaskEvent(line);
  if (typeof event === "string") throw new Error(`the runner made an event that it cannot read back: ${event}`);
  return event;
}

/** Finishes the event that a killed run had accepted. Returns what had to be kept, as in `carryOut`. */
export function finishCommit(place: TaskPlace, anchor: Anchor, redactor: Redactor): readonly string[] {
  const commit = readCommit(anchor.folder);
  return commit === null ? [] : carryOut(place, anchor, commit, redactor).kept;
}

/** True if no event waits, or the journal is the one that it waits for. */
export function fitsJournal(place: TaskPlace, anchor: Anchor): boolean {
  const commit = readCommit(anchor.folder);
  return commit === null || readParts(place, commit) !== null;
}

/** STATE.md's text was looked through before it was accepted, and must stay what it is to the byte. */
export function cleanEvent(event: TaskEvent, redactor: Redactor): { at: string; type: string } {
  const cleaned = redactDeep(event, redactor) as { at: string; type: string };
  return "state" in event ? { ...cleaned, ...{ state: event.state } } : cleaned;
}
