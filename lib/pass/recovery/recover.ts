import { join } from "node:path";
import { judgeRecord, maxRecordBytes } from "../../documents/judge-record.ts";
import { readAccepted, readAcceptedPhase } from "../../documents/read-accepted.ts";
import { leftGraceMs } from "../../process/grace.ts";
import { endSurvivors } from "../../process/survivors.ts";
import { sweepGroups, sweepTemporaryFolders } from "../../process/temporary-folder.ts";
import { readHistory } from "../../rules/add-event.ts";
import type { ReviewedEvent } from "../../rules/events.ts";
import type { Tamper } from "../../rules/facts.ts";
import { judgeEvent } from "../../rules/judge-event.ts";
import { gatherSyncs } from "../../store/folder.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { readParts } from "../../task/carry-out.ts";
import { finishCommit, finishStart, fitsJournal, requireEvent } from "../../task/commit-event.ts";
import { type HeldLocks, lockTask } from "../../task/locks.ts";
import { type Anchor, openAnchor } from "../../task/records/anchor.ts";
import type { PendingCommit } from "../../task/records/anchor-shapes.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import {
  commitPath,
  readCommit,
  readCurrent,
  readProcess,
  recordCheckpoint,
  refuseCommit,
  removeRecords,
} from "../../task/records/records.ts";
import { dropStaged, saveStaged } from "../../task/records/staging.ts";
import { parseTaskJournal, readTaskJournal } from "../../task/records/task-journal.ts";
import { passFolder, type TaskPlace } from "../../task/records/task-place.ts";
import { removeWorkFolders } from "../../task/records/work-folder.ts";
import { hasRuntimeDebris } from "../../task/runtime-files.ts";
import { clearNotesDebris, runtimeOf } from "../../task/runtime-place.ts";
import { accept, type HeldTask, makeKeptFinding, openHeld } from "../../task/session.ts";
import { compact } from "../../text/compact.ts";
import { dataError, TaskPhaseError } from "../../text/errors.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import { findChangedSettings, readKeptSettings } from "../checkpoint/head-moves.ts";
import { refuseRetries } from "../people/obey-control.ts";
import { closeInterrupted } from "./close-interrupted.ts";
import { clearDebris, restoreFrom, restoreSummary } from "./restore-pass.ts";

/**
 * Finishes or undoes what a killed run left. An event that was accepted is carried out. A pass without a verdict is
 * interrupted: its processes are ended, what must not change is restored, its STATE.md is put aside and the accepted
 * one restored; its work in the repo stays. Says what was done.
 */
export async function recoverTask(
  place: TaskPlace,
  anchor: Anchor,
  ports: PassPorts,
  locks: HeldLocks,
): Promise<Finding[]> {
  clearDebris(place, anchor);
  sweepGroups();
  sweepTemporaryFolders();
  clearRuntimeLeft(place, ports);
  const pass = readCurrent(anchor.folder);
  if (pass === null) {
    removeRecords(anchor);
    return [...finishAccepted(place, anchor, ports), ...(await recoverWithoutAnchor(place, anchor, ports))];
  }
  locks.takeRepo(pass.repo);
  const ended = await endSurvivors(pass.mark, readProcess(anchor.folder), leftGraceMs);
  if (pass.started !== undefined) finishStart(place, pass.started);
  // The event goes behind the journal that it was made for, and only the anchor has that where something changed it.
  const early = fitsJournal(place, anchor) ? [] : restoreFrom(place, anchor, pass, ports);
  const finished = finishAccepted(place, anchor, ports);
  const current = readCurrent(anchor.folder);
  if (current === null) return finished;
  const restored = [...early, ...restoreFrom(place, anchor, current, ports)];
  if (current.step === "checkpoint") restoreSummary(place, anchor, current);
  recordCheckpoint(anchor, current);
  const cleared = { repo: current.repo, restored, ended: ended.length, reviewers: current.reviewers ?? [] };
  return [
    ...finished,
    // Do this before closing the pass, so that a RETRY addressed to it takes effect now.
    ...refuseRetries(place, current.pass),
    ...(await closePass(place, anchor, current.pass, cleared, ports)),
  ];
}

/** Removes half-written files beside the notes about models. Another runner that is writing them also removes them. */
function clearRuntimeLeft(place: TaskPlace, ports: PassPorts): void {
  const { folder, own } = runtimeOf(place, ports);
  if (![folder, own].some(hasRuntimeDebris)) return;
  try {
    clearNotesDebris(place, ports);
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName !== "locked") throw error;
  }
}

interface Cleared {
  readonly repo: string | null;
  readonly restored: readonly Tamper[];
  readonly ended: number;
  /** The calls that were running: their possible cost is charged. */
  readonly reviewers: readonly ReviewedEvent[];
  /**
   * The folder is that of a branch which a pass reaches only by its verdict: what differs there from what was accepted is
   * a person's, and is left for PREP to judge.
   */
  readonly isFromBranch?: boolean;
}

async function recoverWithoutAnchor(place: TaskPlace, anchor: Anchor, ports: PassPorts): Promise<Finding[]> {
  const pass = openHeld(place, anchor, ports).history.unfinishedPass;
  removeWorkFolders(anchor.folder);
  if (pass === null) return [];
  const { fence } = ports;
  const cleared = { repo: null, restored: [], ended: 0, reviewers: [], isFromBranch: fence !== undefined };
  const closed = await closePass(place, anchor, pass, cleared, ports);
  return fence === undefined ? [...refuseRetries(place, pass), ...closed] : closed;
}

async function closePass(
  place: TaskPlace,
  anchor: Anchor,
  pass: number,
  cleared: Cleared,
  ports: PassPorts,
): Promise<Finding[]> {
  const session = openHeld(place, anchor, ports);
  const { repo, restored, ended, reviewers, isFromBranch = false } = cleared;
  if (session.history.unfinishedPass === pass) {
    const changed = repo === null ? [] : await findChangedSettings(repo, readKeptSettings(anchor, pass), ports);
    session.findings.push(...changed);
    await closeInterrupted(session, pass, { repo, restored, isFromBranch });
    const lost = ports.fence?.lost ?? null;
    // The verdict has these now; with its own code, the next one would have them, too.
    const others = session.findings.filter((finding) => !changed.includes(finding));
    return [interruptedFinding(place, pass, { ended, restored, changed, lost, isFromBranch }), ...others];
  }
  const folder = join(place.passes, "recovered", String(session.journal.seq + 1).padStart(4, "0"));
  const syncs = gatherSyncs();
  saveStaged(anchor, folder, ports.redactor, syncs);
  syncs.sync();
  dropStaged(anchor);
  const at = ports.now().toISOString();
  const event = { type: "recovered", at, pass, restored: restored.map(({ path }) => path), ended } as const;
  accept(session, { event, state: session.history.state, endsPass: true });
  for (const review of reviewers) accept(session, { event: { ...review, at }, state: null });
  const message = "a run was cut off before its model was called; what it left was removed";
  return [warningFinding("TP_RECOVERED", message, { file: place.taskDir }), ...session.findings];
}

function finishAccepted(place: TaskPlace, anchor: Anchor, ports: PassPorts): Finding[] {
  const commit = readCommit(anchor.folder);
  const other = commit === null ? null : judgeOther(place, anchor, commit);
  const refused = commit === null ? null : (other ?? judgeWaiting(place, commit));
  if (refused === null) return finishCommit(place, anchor, ports.redactor).map(makeKeptFinding);
  const file = refuseCommit(anchor);
  const message = `an event that waited in the state folder was not accepted, since ${refused}`;
  const fix = `${other === null ? "nothing to do" : "do it again if you still want it"}; the file is kept to look at`;
  return [warningFinding("TP_COMMIT_REFUSED", message, { file, fix })];
}

/** `lost`: what lost work is under in the remote, if another clone has done the pass; null: it was done in this repo. */
function interruptedFinding(
  place: TaskPlace,
  pass: number,
  left: {
    ended: number;
    restored: readonly Tamper[];
    changed: readonly Finding[];
    lost: string | null;
    isFromBranch: boolean;
  },
): Finding {
  const { ended, restored, changed, lost, isFromBranch } = left;
  const work =
    lost === null
      ? "stays in the repo"
      : `is not on the branch: it may be under ${lost} in the remote, or on the machine that did the pass`;
  const parts = compact([
    `pass ${pass} was interrupted; STATE.md is ${isFromBranch ? "the branch's" : "the last accepted one"}, and the pass's work ${work}`,
    ...(ended > 0 ? [`${ended} of its processes were killed`] : []),
    restored.length > 0 &&
      `restored: ${restored
        .map((tamper) => tamper.path)
        .slice(0, 10)
        .join(", ")}`,
    ...changed.map(({ message }) => message),
  ]);
  return warningFinding("TP_INTERRUPTED", parts.join("; "), { file: place.taskDir, fix: changed[0]?.fix ?? null });
}

/**
 * Locks the task, and does the work on it once what a killed run left is finished or undone. `isView`: the folder shows a
 * branch, whose open pass is another folder's.
 */
export async function holdTask<Value>(
  place: TaskPlace,
  ports: PassPorts,
  work: (session: HeldTask) => Promise<Value>,
  isView = false,
): Promise<Value> {
  const locks = lockTask(place, ports);
  try {
    return await work(
      isView ? openHeld(place, openAnchor(place, ports), ports) : await openRecovered(place, ports, locks),
    );
  } finally {
    locks.release();
  }
}

/** The task under these locks, recovered; its findings say what was left. */
export async function openRecovered(place: TaskPlace, ports: PassPorts, locks: HeldLocks): Promise<HeldTask> {
  const anchor = openAnchor(place, ports);
  const findings = await recoverTask(place, anchor, ports, locks);
  return { ...openHeld(place, anchor, ports), findings };
}

/**
 * What a person has put in the place of the journal that the event follows, such as an earlier one from git. During a pass
 * it may be an agent, so that carrying the event out fails.
 */
function judgeOther(place: TaskPlace, anchor: Anchor, commit: PendingCommit): string | null {
  if (readCurrent(anchor.folder) !== null || readParts(place, commit) !== null) return null;
  const { type } = requireEvent(commit.line);
  const journal = readTaskJournal(place.journal);
  if (journal !== null) return `the journal is another one now: ${type}`;
  // It may come back, as when a person has switched to another branch for a while.
  throw dataError("TP_JOURNAL_CHANGED", `the journal is missing, and an event waits for it: ${type}`, {
    file: place.journal,
    fix: `restore it; to go on without the event, delete ${commitPath(anchor)}`,
  });
}

/**
 * Why no runner can have accepted the event that waits: an agent without a sandbox can write such a record too, and then
 * kill the runner. Null: it is legal behind this journal, and a verdict is what its facts lead to.
 */
function judgeWaiting(place: TaskPlace, commit: PendingCommit): string | null {
  const parts = readParts(place, commit);
  // Carrying the commit out reports that the journal is another one.
  if (parts === null) return null;
  const { events } = parseTaskJournal(parts.before, place.journal);
  const before = readHistory(events);
  const event = requireEvent(commit.line);
  const accepted = "state" in event ? event.state : null;
  if (commit.state !== null && commit.state !== accepted && commit.state !== before.state)
    return `${unwritten}: its STATE.md is not the one that it accepts`;
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
  if (problem !== undefined) return `${unwritten}: ${problem}`;
  if (event.type !== "verdict") return null;
  const read = readRegularFile(join(passFolder(place, event.pass), "pass.json"), maxRecordBytes);
  if (read.kind !== "file") return `${unwritten}: the record of pass ${event.pass} is ${read.kind}`;
  const judgement = judgeRecord(read.bytes, event, before);
  return judgement.kind === "holds" ? null : `${unwritten}: ${judgement.message}`;
}

const unwritten = "no runner wrote it";
