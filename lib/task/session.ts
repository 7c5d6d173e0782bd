import { basename } from "node:path";
import { plainPhase } from "../documents/plain-phase.ts";
import { readState, type StateDocument } from "../documents/state.ts";
import { addEvent, readHistory } from "../rules/add-event.ts";
import type { EscalationCause } from "../rules/decision.ts";
import type { TaskEvent } from "../rules/events.ts";
import type { Held } from "../rules/held.ts";
import type { TaskHistory } from "../rules/history.ts";
import type { Phase } from "../rules/phases.ts";
import { dataError, type TaskPhaseError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { sha256 } from "../text/sha256.ts";
import type { CommitRequest } from "./commit-event.ts";
import { commitEvent, startEvent } from "./commit-event.ts";
import { requireOwnFolders } from "./own-folders.ts";
import type { Anchor } from "./records/anchor.ts";
import type { WaitingLine } from "./records/anchor-shapes.ts";
import type { PassPorts } from "./records/ports.ts";
import { emptyJournal, readTaskJournal, type TaskJournal } from "./records/task-journal.ts";
import type { TaskPlace } from "./records/task-place.ts";

/** One task as this process sees it: its journal, and the events accepted since. */
export interface TaskSession {
  /** `preview`: events count in memory, and nothing is written. */
  readonly kind: "held" | "preview";
  readonly place: TaskPlace;
  readonly ports: PassPorts;
  /** Runs an effect on the disk. A preview runs none. */
  readonly write: (effect: (anchor: Anchor) => void) => void;
  journal: TaskJournal;
  history: TaskHistory;
  /** Findings on the way, for people and for the report. */
  readonly findings: Finding[];
}

/** A task under its locks. */
export interface HeldTask extends TaskSession {
  readonly kind: "held";
  readonly anchor: Anchor;
}

/** The run ended before a model was called, and that is not an error. */
export interface Stop {
  readonly kind: "stopped";
  readonly exitName: ExitName;
  /** Why it stopped, one sentence. */
  readonly reason: string;
  readonly from: Phase | null;
  readonly to: Phase | null;
  /** The task's id, where the brief was read. */
  readonly task: string | null;
  readonly findings: readonly Finding[];
  /** Why the runner itself stopped the task; null if it did not. */
  readonly escalated: EscalationCause | null;
  /** When a model can be called again, where that is what stopped it; ISO 8601, UTC. */
  readonly nextEligibleAt: string | null;
  /** A person's ABORT: nothing continues in this call. */
  readonly aborted?: boolean;
  /** As in the report of a pass. */
  readonly unkept?: boolean;
  /** What Status says of it, if the task stays in its phase; else what it said before. */
  readonly held?: Held;
}

/** Opens a task while its lock is held. A data error if the journal cannot be read or contradicts itself. */
export function openHeld(place: TaskPlace, anchor: Anchor, ports: PassPorts): HeldTask {
  return { ...openJournal(place, ports), kind: "held", anchor, write: (effect) => effect(anchor) };
}

/** Opens a task for reading only. Throws as `openHeld` does. */
export function openPreview(place: TaskPlace, ports: PassPorts): TaskSession {
  return { ...openJournal(place, ports), kind: "preview", write: () => {} };
}

function openJournal(place: TaskPlace, ports: PassPorts) {
  requireOwnFolders(place);
  const journal = readTaskJournal(place.journal) ?? emptyJournal;
  const history = readHistory(journal.events);
  requireOnePhase(history, place.journal);
  return { place, ports, journal, history, findings: [] };
}

/** The STATE.md that the journal accepted last says the phase that its events lead to; a data error else. */
function requireOnePhase({ state, phase }: TaskHistory, journal: string): void {
  if (state === null) return;
  const said = plainPhase(state) ?? parseAccepted(state, journal).view.phase;
  if (said === phase) return;
  const message = `the last STATE.md in the journal says ${said}, but the events end in ${phase ?? "none"}`;
  throw dataError("TP_JOURNAL_PHASE", message, {
    file: journal,
    fix: "restore the journal, for example from git; only task-phase writes it",
  });
}

/** The last accepted STATE.md as the journal holds it; where that cannot be read, it is the journal that is wrong. */
export function parseAccepted(state: string, journal: string): StateDocument {
  const read = readState(Buffer.from(state), "STATE.md");
  if (read.kind === "state") return read.document;
  throw dataError("TP_JOURNAL", `the STATE.md that the journal accepted cannot be read: ${read.findings[0]?.message}`, {
    file: journal,
    fix: "restore the journal, for example from git",
  });
}

export interface Acceptance extends Pick<CommitRequest, "event" | "state" | "files" | "endsPass" | "note"> {
  /** The digests of what STATE.md may hold besides the last accepted text. */
  readonly over?: readonly string[];
}

/**
 * Makes an event durable and counts it. If the disk then refuses what goes with it, the event holds all the same,
 * and a warning says what is missing.
 */
export function accept(session: TaskSession, acceptance: Acceptance): void {
  session.write((anchor) => {
    const { place, journal: before, ports, findings } = session;
    const accepted = session.history.state;
    const { journal, unfinished, kept } = commitEvent({
      ...{ place, anchor, journal: before, redactor: ports.redactor },
      ...acceptance,
      over: [...(accepted === null ? [] : [sha256(accepted)]), ...(acceptance.over ?? [])],
    });
    session.journal = journal;
    findings.push(...kept.map(makeKeptFinding));
    if (unfinished !== null) findings.push(makeUnfinished(place, acceptance.event, unfinished));
  });
  const { journal } = session;
  if (session.kind === "preview") session.journal = { ...journal, events: [...journal.events, acceptance.event] };
  session.history = addEvent(session.history, acceptance.event);
}

/** Begins a pass as `startEvent` does, and counts the event. Returns what `record` returns. */
export function begin<Value>(
  session: HeldTask,
  event: TaskEvent,
  record: (started: WaitingLine, journal: Buffer) => Value,
): Value {
  const { place, anchor, ports } = session;
  const request = { place, anchor, journal: session.journal, event, redactor: ports.redactor };
  const { journal, recorded } = startEvent(request, record);
  session.journal = journal;
  session.history = addEvent(session.history, event);
  return recorded;
}

/** Of a file that someone was editing while the runner wrote it. */
export function makeKeptFinding(kept: string): Finding {
  const name = basename(kept).replace(/\.\d+$/, "");
  const message = `${name} was edited while the runner worked on the task; the edit is kept, and was not judged`;
  const fix = "compare the kept copy, and repeat the edit if it still applies";
  return warningFinding(name === "STATE.md" ? "TP_STATE_KEPT" : "TP_FILE_KEPT", message, { file: kept, fix });
}

function makeUnfinished(place: TaskPlace, event: TaskEvent, error: TaskPhaseError): Finding {
  const what = event.type === "verdict" ? `the verdict of pass ${event.pass} (${event.verdict})` : `\`${event.type}\``;
  const message = `${what} is accepted and durable, but some of its files could not be written: ${error.message}`;
  const cure = error.findings[0]?.fix ?? "mend that, then run it again";
  const fix = `${cure}; the next run of the task writes these files, and nothing is lost`;
  return warningFinding("TP_UNFINISHED", message, { file: place.taskDir, fix });
}

/** A stop that keeps a task from its next pass, until a person or another task changes that. */
export function hold(
  exitName: ExitName,
  standing: Held["standing"],
  why: string,
  from: Phase | null,
  brief = why,
): Stop {
  return { ...stop(exitName, why, from), held: { standing, brief, why } };
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
