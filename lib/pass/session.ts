import type { TaskEvent } from "../machine/events.ts";
import type { EscalationCause } from "../machine/facts.ts";
import { addEvent, readHistory, type TaskHistory } from "../machine/history.ts";
import type { Phase } from "../machine/phases.ts";
import { dataError, type TaskPhaseError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { plainPhase } from "../task-folder/plain-phase.ts";
import { readState, type StateDocument } from "../task-folder/state.ts";
import type { Anchor } from "./anchor.ts";
import { type CommitFile, commitEvent } from "./commit-event.ts";
import { requireOwnFolders } from "./look.ts";
import type { PassPorts } from "./ports.ts";
import { emptyJournal, readTaskJournal, type TaskJournal } from "./task-journal.ts";
import type { TaskPlace } from "./task-place.ts";

/** One task, held by this process. A session without an anchor is a dry run: events count, and nothing is written. */
export interface TaskSession {
  readonly place: TaskPlace;
  readonly ports: PassPorts;
  readonly anchor: Anchor | null;
  journal: TaskJournal;
  history: TaskHistory;
  /** What happened on the way, for people and for the report. */
  readonly findings: Finding[];
}

/** The run ended before a model was called, and that is no error. */
export interface Stop {
  readonly kind: "stopped";
  readonly exitName: ExitName;
  readonly reason: string;
  readonly from: Phase | null;
  readonly to: Phase | null;
  /** The task's id, where the brief was read. */
  readonly task: string | null;
  readonly findings: readonly Finding[];
  /** Why the runner itself stopped the task; null where it did not. */
  readonly escalated: EscalationCause | null;
  /** When a model can be called again, where that is what stopped it; ISO 8601, UTC. */
  readonly nextEligibleAt: string | null;
  /** A person's ABORT: nothing goes on in this call. */
  readonly aborted?: boolean;
}

export function openSession(place: TaskPlace, anchor: Anchor | null, ports: PassPorts): TaskSession {
  requireOwnFolders(place);
  const journal = readTaskJournal(place.journal) ?? emptyJournal;
  const history = readHistory(journal.events);
  requireOnePhase(history, place.journal);
  return { place, ports, anchor, journal, history, findings: [] };
}

/** The STATE.md that the journal accepted last says the phase that its events lead to; a data error else. */
function requireOnePhase({ state, phase }: TaskHistory, journal: string): void {
  if (state === null) return;
  const said = plainPhase(state) ?? parseAccepted(state, journal).view.phase;
  if (said === phase) return;
  throw dataError(
    "TP_JOURNAL_PHASE",
    `the last STATE.md in the journal says ${said}, and the events lead to ${phase ?? "none"}`,
    { file: journal, fix: "put back the journal as it was, as from git; task-phase alone writes it" },
  );
}

/** The last accepted STATE.md as the journal holds it; where that cannot be read, it is the journal that is wrong. */
export function parseAccepted(state: string, journal: string): StateDocument {
  const read = readState(Buffer.from(state), "STATE.md");
  if (read.kind === "state") return read.document;
  throw dataError("TP_JOURNAL", `the STATE.md that the journal accepted cannot be read: ${read.findings[0]?.message}`, {
    file: journal,
    fix: "put back the journal as it was, as from git",
  });
}

export interface Acceptance {
  readonly event: TaskEvent;
  /** The whole STATE.md afterwards; null where the event leaves it alone. */
  readonly state: string | null;
  readonly files?: readonly CommitFile[];
  readonly endsPass?: boolean;
}

/**
 * Makes an event durable and counts it. Where the disk then refuses what goes with it, the event holds all the same,
 * and a warning says what is missing.
 */
export function accept(session: TaskSession, acceptance: Acceptance): void {
  if (session.anchor !== null) {
    const { journal, unfinished } = commitEvent({
      place: session.place,
      anchor: session.anchor,
      journal: session.journal,
      redactor: session.ports.redactor,
      ...acceptance,
    });
    session.journal = journal;
    if (unfinished !== null) session.findings.push(sayUnfinished(session.place, acceptance.event, unfinished));
  }
  session.history = addEvent(session.history, acceptance.event);
}

function sayUnfinished(place: TaskPlace, event: TaskEvent, error: TaskPhaseError): Finding {
  const what = event.type === "verdict" ? `the verdict of pass ${event.pass} (${event.verdict})` : `\`${event.type}\``;
  const message = `${what} is accepted and durable, but not all that goes with it could be written: ${error.message}`;
  const fix = "free some space; the next run of the task writes it, and nothing is lost";
  return warningFinding("TP_UNFINISHED", message, { file: place.taskDir, fix });
}

export function stop(exitName: ExitName, reason: string, from: Phase | null, to: Phase | null = from): Stop {
  return {
    kind: "stopped",
    exitName,
    reason,
    from,
    to,
    task: null,
    findings: [],
    escalated: null,
    nextEligibleAt: null,
  };
}
