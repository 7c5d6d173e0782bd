import { join } from "node:path";
import { judgeRecord, maxRecordBytes } from "../../documents/judge-record.ts";
import { readAccepted, readAcceptedPhase } from "../../documents/read-accepted.ts";
import { readHistory } from "../../rules/add-event.ts";
import { judgeEvent } from "../../rules/judge-event.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { readParts } from "../../task/carry-out.ts";
import { requireEvent } from "../../task/commit-event.ts";
import type { PendingCommit } from "../../task/records/anchor-shapes.ts";
import { parseTaskJournal } from "../../task/records/task-journal.ts";
import { passFolder, type TaskPlace } from "../../task/records/task-place.ts";

/**
 * Why no runner can have accepted the event that waits: an agent without a sandbox can write such a record too, and then
 * kill the runner. Null: it is legal behind this journal, and a verdict is what its facts lead to.
 */
export function judgeWaiting(place: TaskPlace, commit: PendingCommit): string | null {
  const parts = readParts(place, commit);
  // Carrying the commit out reports that the journal is another one.
  if (parts === null) return null;
  const { events } = parseTaskJournal(parts.before, place.journal);
  const before = readHistory(events);
  const event = requireEvent(commit.line);
  const accepted = "state" in event ? event.state : null;
  if (commit.state !== null && commit.state !== accepted && commit.state !== before.state)
    return "its STATE.md is not the one that it accepts";
  // What makes an adoption legal comes behind it.
  const [problem] =
    event.type === "adopted"
      ? []
      : judgeEvent(event, {
          before,
          previous: events.at(-1) ?? null,
          next: null,
          read: readAccepted,
          readPhase: readAcceptedPhase,
        });
  if (problem !== undefined || event.type !== "verdict") return problem ?? null;
  const read = readRegularFile(join(passFolder(place, event.pass), "pass.json"), maxRecordBytes);
  if (read.kind !== "file") return `the record of pass ${event.pass} is ${read.kind}`;
  const judgement = judgeRecord(read.bytes, event, before);
  return judgement.kind === "holds" ? null : judgement.message;
}
