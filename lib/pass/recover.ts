import { lstatSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { ReviewedEvent } from "../machine/events.ts";
import type { Tamper } from "../machine/facts.ts";
import { endSurvivors } from "../process/survivors.ts";
import { sweepGroups } from "../process/sweep-groups.ts";
import { sweepTemporaryFolders } from "../process/temporary-folder.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, infoFinding, warningFinding } from "../report/finding.ts";
import { hasDebris, makeFolder } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import {
  type Anchor,
  anchorFolder,
  type CurrentPass,
  noteCheckpoint,
  readCommit,
  readCurrent,
  readProcess,
} from "./anchor.ts";
import { clearDebris, clearRepoDebris } from "./clear-debris.ts";
import { closeInterrupted } from "./close-interrupted.ts";
import { finishCommit, fitsJournal } from "./commit-event.ts";
import { refuseRetries } from "./control.ts";
import { compareAndRestore, type Guard } from "./guard.ts";
import { guardedPaths } from "./guarded-paths.ts";
import type { HeldLocks } from "./locks.ts";
import type { PassPorts } from "./ports.ts";
import { loadPins } from "./protected-paths.ts";
import { underRuntimeLock } from "./runtime-place.ts";
import { accept, openSession } from "./session.ts";
import { keepLeftState, moveSpool } from "./spool.ts";
import { passFolder, type TaskPlace } from "./task-place.ts";
import { removeWorkFolders } from "./work-folder.ts";

/** Grace for what a killed run left alive: it has had its time. */
const survivorGraceMs = 500;

/** True where a killed run left something that the next start must finish or undo. */
export function waitsForRecovery(place: Pick<TaskPlace, "taskDir">, ports: Pick<PassPorts, "env" | "home">): boolean {
  const folder = anchorFolder(place.taskDir, ports);
  return readCurrent(folder) !== null || readCommit(folder) !== null;
}

/**
 * Finishes or undoes what a killed run left. An event that was accepted is carried out. A pass without a verdict is
 * interrupted: its processes are ended, what must not change is put back, its STATE.md is put aside and the accepted
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
  if (pass === null)
    return [...finishAccepted(place, anchor, ports), ...(await recoverWithoutAnchor(place, anchor, ports))];
  locks.takeRepo(pass.repo);
  const ended = await endSurvivors(pass.mark, readProcess(anchor.folder), survivorGraceMs);
  // The event goes behind the journal that it was made for, and only the anchor has that where something changed it.
  const early = fitsJournal(place, anchor) ? [] : restoreFrom(place, anchor, pass, ports);
  const finished = finishAccepted(place, anchor, ports);
  const current = readCurrent(anchor.folder);
  if (current === null) return finished;
  const restored = [...early, ...restoreFrom(place, anchor, current, ports)];
  if (current.step === "checkpoint") restoreSummary(place, anchor, current);
  removeWorkFolders(anchor.folder);
  noteCheckpoint(anchor, current);
  return [
    ...finished,
    // Before the pass is closed, so that a RETRY of its own waits for nobody.
    ...refuseRetries(place, current.pass),
    await closePass(
      place,
      anchor,
      current.pass,
      { repo: current.repo, restored, ended: ended.length, reviewers: current.reviewers ?? [] },
      ports,
    ),
  ];
}

/** What was half-written beside the notes about models. Another runner that writes them right now clears it as well. */
function clearRuntimeLeft(place: TaskPlace, ports: PassPorts): void {
  if (![place.runtime, join(place.runtime, "changelog")].some(hasDebris)) return;
  try {
    underRuntimeLock(place, ports, () => undefined);
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName !== "locked") throw error;
  }
}

interface Cleared {
  readonly repo: string | null;
  readonly restored: readonly Tamper[];
  readonly ended: number;
  /** Those that were at work: what they may have cost is charged. */
  readonly reviewers: readonly ReviewedEvent[];
}

async function recoverWithoutAnchor(place: TaskPlace, anchor: Anchor, ports: PassPorts): Promise<Finding[]> {
  const pass = openSession(place, anchor, ports).history.unfinishedPass;
  removeWorkFolders(anchor.folder);
  if (pass === null) return [];
  const cleared = { repo: null, restored: [], ended: 0, reviewers: [] };
  return [...refuseRetries(place, pass), await closePass(place, anchor, pass, cleared, ports)];
}

async function closePass(
  place: TaskPlace,
  anchor: Anchor,
  pass: number,
  cleared: Cleared,
  ports: PassPorts,
): Promise<Finding> {
  const session = openSession(place, anchor, ports);
  const { repo, restored, ended, reviewers } = cleared;
  if (session.history.unfinishedPass === pass) {
    await closeInterrupted(session, pass, repo, restored);
    return interruptedFinding(place, pass, ended, restored);
  }
  const folder = recoveredFolder(place, session.journal.seq + 1);
  moveSpool(anchor, folder, ports.redactor);
  keepLeftState(place, join(folder, "STATE.md"), [session.history.state], ports.redactor);
  accept(session, {
    event: {
      type: "recovered",
      at: ports.now().toISOString(),
      pass,
      restored: restored.map((tamper) => tamper.path),
      ended,
    },
    state: session.history.state,
    endsPass: true,
  });
  const at = ports.now().toISOString();
  for (const event of reviewers) accept(session, { event: { ...event, at }, state: null });
  const message = "a run was cut off before its model was called; what it left was cleared away";
  return warningFinding("TP_RECOVERED", message, { file: place.taskDir });
}

/** Carries out the event that was accepted already. An edit of STATE.md since then makes way for it, and is kept. */
function finishAccepted(place: TaskPlace, anchor: Anchor, ports: PassPorts): Finding[] {
  const kept = finishCommit(place, anchor, (waiting) => {
    const known = [waiting.before, waiting.after, readProposed(place, waiting.pass)];
    return keepLeftState(place, join(recoveredFolder(place, waiting.seq), "STATE.md"), known, ports.redactor);
  });
  if (kept === null) return [];
  const message =
    "STATE.md was edited before a run that was cut off could be finished; the edit makes way for what that run accepted";
  return [
    infoFinding("TP_STATE_KEPT", message, {
      file: kept,
      fix: "look at the kept copy, and make the edit again where it still holds",
    }),
  ];
}

/** What the pass proposed is kept already. */
function readProposed(place: TaskPlace, pass: number | null): string | null {
  if (pass === null) return null;
  const read = readRegularFile(join(passFolder(place, pass), "STATE.proposed.md"), 1024 * 1024);
  return read.kind === "file" ? read.bytes.toString("utf8") : null;
}

function recoveredFolder(place: TaskPlace, seq: number): string {
  return join(place.passes, "recovered", String(seq).padStart(4, "0"));
}

/** Everything but what the killed run itself may have written. */
function restoreFrom(place: TaskPlace, anchor: Anchor, current: CurrentPass, ports: PassPorts): readonly Tamper[] {
  makeFolder(anchor.spool);
  const guard: Guard = {
    place,
    anchor,
    current,
    ports,
    pins: { repo: current.repo, globs: [], digests: {}, entries: {} },
    ownOutputs: ownOutputs(place, current),
  };
  const repoThere = lstatSync(current.repo, { throwIfNoEntry: false })?.isDirectory() === true;
  const restored = restoreAll(guard);
  const { pinned } = openSession(place, anchor, ports).history;
  if (pinned === null || !repoThere) return restored;
  clearRepoDebris(current.repo, Object.keys(pinned));
  const pins = loadPins(current.repo, current.protected_globs, pinned, anchor);
  return [...restored, ...restoreAll({ ...guard, pins })];
}

/** Until the last comparison nothing is the runner's: a pass can forge what the runner writes later, and kill it. */
function ownOutputs(place: TaskPlace, current: CurrentPass): (path: string) => boolean {
  if (current.step !== "checkpoint") return () => false;
  const folder = passFolder(place, current.pass);
  const names = [
    "",
    "pass.json",
    "tickets.md",
    "stdout.log",
    "stderr.log",
    "STATE.proposed.md",
    "validators",
    "validators-2",
    "baseline",
    "square",
    "reviews",
    "kept",
  ];
  return (path) => {
    if (path === place.evidence) return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
    return path === place.page || path === place.summary || names.includes(relative(folder, path).split(sep)[0] ?? "");
  };
}

/** SUMMARY.md is written just before a task is done; this one is not. */
function restoreSummary(place: TaskPlace, anchor: Anchor, current: CurrentPass): void {
  const paths = guardedPaths(place, current.config_paths, [], current.repo);
  const change = anchor.store.compare(current.manifest, paths).find(({ path }) => path === place.summary);
  if (change !== undefined) anchor.store.restore(change, null);
}

function interruptedFinding(place: TaskPlace, pass: number, ended: number, restored: readonly Tamper[]): Finding {
  const parts = [
    `pass ${pass} was interrupted; STATE.md is the last accepted one, and its work in the repo stays`,
    ...(ended > 0 ? [`${ended} processes of it were ended`] : []),
    ...(restored.length > 0
      ? [
          `put back: ${restored
            .map((tamper) => tamper.path)
            .slice(0, 10)
            .join(", ")}`,
        ]
      : []),
  ];
  return warningFinding("TP_INTERRUPTED", parts.join("; "), { file: place.taskDir });
}

function restoreAll(guard: Guard): Tamper[] {
  const { tampering, putBack } = compareAndRestore(guard, "model");
  return [...tampering, ...putBack];
}
