import type { TaskEvent } from "../../rules/events.ts";
import { readTaskEvent } from "../../rules/shapes/events.ts";
import { createStatCache } from "../../store/cache-file.ts";
import { parseJournal } from "../../store/journal.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { dataError } from "../../text/errors.ts";
import { findMergeMark } from "../../text/merge-marks.ts";
import { sha256 } from "../../text/sha256.ts";
import type { TaskPlace } from "./task-place.ts";

/** 64 MiB: some ten thousand passes. */
export const maxJournalBytes = 64 * 1024 * 1024;

export interface TaskJournal {
  readonly events: readonly TaskEvent[];
  readonly head: string | null;
  readonly seq: number;
  readonly bytes: Buffer;
  readonly sha256: string;
}

export const emptyJournal: TaskJournal = { events: [], head: null, seq: 0, bytes: Buffer.alloc(0), sha256: sha256("") };

// A pass reads its journal before the locks, to recover, and to open its session.
const journalSeen = createStatCache<TaskJournal | null>(1);

/** Null if there is none. Reads an unchanged file once. A broken journal is a data error that names the line. */
export function readTaskJournal(path: string): TaskJournal | null {
  return journalSeen(path, () => readJournalFile(path));
}

function readJournalFile(path: string): TaskJournal | null {
  const read = readRegularFile(path, maxJournalBytes);
  if (read.kind === "missing") return null;
  if (read.kind !== "file") {
    throw dataError("TP_JOURNAL", `the journal is not a readable regular file (${read.kind.replace("_", " ")})`, {
      file: path,
      fix: restoreFix,
    });
  }
  if (read.bytes.length === 0) {
    throw dataError("TP_JOURNAL", "the journal is empty; expected at least the event that adopted the task", {
      file: path,
      fix: "restore it, for example from git; if there never was one, delete the empty file",
    });
  }
  return parseTaskJournal(read.bytes, path);
}

/** The last one read, so that an event is added to it without reading all again. */
let last: TaskJournal = emptyJournal;

/** Throws a data error that names the line. */
export function parseTaskJournal(bytes: Buffer, path: string): TaskJournal {
  const known = bytes.subarray(0, last.bytes.length).equals(last.bytes) ? last : emptyJournal;
  const parsed = parseJournal(bytes, known);
  const merge = parsed.kind === "broken" ? findMergeMark(bytes.toString("utf8"), path) : null;
  if (merge !== null) throw dataError("TP_MERGE", merge.message, { file: path, line: merge.line, fix: merge.fix });
  if (parsed.kind === "broken")
    throw dataError("TP_JOURNAL_BROKEN", parsed.problem, { file: path, line: parsed.line, fix: restoreFix });
  if (parsed.torn !== null) {
    throw dataError("TP_JOURNAL_TORN", "the last line of the journal is incomplete", {
      file: path,
      line: known.seq + parsed.events.length + 1,
      fix: restoreFix,
    });
  }
  const added = parsed.events.map((event, index) => {
    const read = readTaskEvent(event);
    if (typeof read !== "string") return read;
    throw dataError("TP_JOURNAL_EVENT", read, { file: path, line: known.seq + index + 1, fix: restoreFix });
  });
  const events = [...known.events, ...added];
  last = { events, head: parsed.head, seq: events.length, bytes, sha256: sha256(bytes) };
  return last;
}

const restoreFix = "restore the journal, for example from git; only task-phase writes it";

const newline = 0x0a;

/** Counts unreadable events too; 0 if the file cannot be read. */
export function countEvents({ journal }: Pick<TaskPlace, "journal">): number {
  const read = readRegularFile(journal, maxJournalBytes);
  return read.kind === "file" ? read.bytes.filter((byte) => byte === newline).length : 0;
}
