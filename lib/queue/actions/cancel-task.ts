import { join } from "node:path";
import { readIfGood, taskFiles } from "../../documents/read-task-file.ts";
import { type StateDocument, stateText } from "../../documents/state.ts";
import { askForAbort, markOpen, waitsIn } from "../../pass/people/control-file.ts";
import { adoptTask } from "../../pass/people/settle-state.ts";
import { holdTask } from "../../pass/recovery/recover.ts";
import { refreshPages } from "../../pass/verdict/write-evidence.ts";
import { writeState } from "../../pass/verdict/write-state.ts";
import { endRunner } from "../../process/end-runner.ts";
import { isWorkingPhase } from "../../rules/phases.ts";
import { resumeLine } from "../../rules/resume-line.ts";
import { cancelledBy, statusOf } from "../../rules/standing.ts";
import { isLocked } from "../../store/lock.ts";
import { type OpenTask, openBeforeLocking, openTask } from "../../task/open-task.ts";
import { anchorFolder } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { findRunner, readCurrent, readProcess } from "../../task/records/records.ts";
import { stands, type TaskPlace } from "../../task/records/task-place.ts";
import { accept, type TaskSession } from "../../task/session.ts";
import { taskLockPath } from "../../task/task-lock.ts";
import { orIfForeseen } from "../../text/attempt.ts";
import type { ExitName } from "../../text/exit-codes.ts";

export interface CancelPorts extends Pick<PassPorts, "env" | "home" | "now"> {
  readonly sleep: (ms: number) => Promise<void>;
  readonly tell: (line: string) => void;
}

export interface CancelResult {
  readonly exitName: ExitName & ("ok" | "locked");
  /** `idle`: nothing ran. `stopped`: it obeyed. `ended`: its processes were ended. `left`: they could not be. */
  readonly outcome: "idle" | "stopped" | "ended" | "left";
  readonly reason: string;
}

const lookEveryMs = 100;

/**
 * Stops the runner of a task: asks with an ABORT in CONTROL.md, waits, then ends its processes. What it leaves behind
 * is recovered by the next run. If nothing runs, nothing is written: an ABORT would stop the next run.
 *
 * @param times.waitMs how long the runner has to obey ABORT
 * @param times.graceMs between TERM and KILL; more than a runner needs to end its own model in order
 */
export async function cancelTask(
  place: TaskPlace,
  times: { readonly waitMs: number; readonly graceMs: number },
  ports: CancelPorts,
): Promise<CancelResult> {
  const folder = anchorFolder(place.taskDir, ports);
  if (!isRunning(place, folder)) return { exitName: "ok", outcome: "idle", reason: "nothing is running on this task" };
  // An ABORT that someone else wrote stays theirs.
  const had = waitsIn(place, "ABORT");
  const asked = had || askForAbort(place, `task-phase cancel ${ports.now().toISOString()}`);
  if (asked) {
    ports.tell(`wrote ABORT to CONTROL.md; waiting up to ${Math.ceil(times.waitMs / 1000)} s for the runner to end`);
    if (await ended(place, folder, times.waitMs, ports)) return await settle(place, had, ports, stopped);
  }
  const runner = findRunner(folder);
  // It may have ended just now.
  if (runner === null && !isRunning(place, folder)) return await settle(place, had, ports, stopped);
  const current = readCurrent(folder);
  if (runner !== null) ports.tell(`killing process ${runner.pid} and its children`);
  if (runner === null || !(await endRunner(runner, current?.mark ?? null, readProcess(folder), times.graceMs))) {
    const why =
      runner === null ? "no process of this user on this machine is recorded as its runner" : "it did not end";
    const stays = asked ? "; ABORT is still in CONTROL.md, and stops the runner when it reads that" : "";
    return { exitName: "locked", outcome: "left", reason: `the runner could not be stopped from here: ${why}${stays}` };
  }
  return await settle(place, had, ports, {
    exitName: "ok",
    outcome: "ended",
    reason:
      "the runner did not obey in time, and its processes were killed; the next run recovers if anything was left",
  });
}

const stopped: CancelResult = { exitName: "ok", outcome: "stopped", reason: "the runner stopped cleanly" };

/** Our own ABORT must not stop the next run, if the runner ended without reading it. */
async function settle(place: TaskPlace, had: boolean, ports: CancelPorts, result: CancelResult): Promise<CancelResult> {
  if (!had) {
    const note = `done ${ports.now().toISOString()}`;
    markOpen(place, (item) => (item.command === "ABORT" ? { tick: true, note } : null));
  }
  return result;
}

/** A runner holds the task's locks while it works; the loop on a task is noted also between two passes. */
function isRunning(place: TaskPlace, folder: string): boolean {
  return isLocked(taskLockPath(place)) || isLocked(join(folder, "task.lock")) || findRunner(folder) !== null;
}

async function ended(place: TaskPlace, folder: string, waitMs: number, ports: CancelPorts): Promise<boolean> {
  for (let waited = 0; waited < waitMs; waited += lookEveryMs) {
    await ports.sleep(lookEveryMs);
    if (!isRunning(place, folder)) return true;
  }
  return false;
}

export type HeldCancelled = Awaited<ReturnType<typeof holdCancelled>>;

/**
 * Notes in the journal that a person cancelled the task, so that no later call continues by itself; the journal of a
 * task that never ran begins with that. Nothing is held if the task is done. Throws TP_LOCKED if
 * another runner has begun meanwhile, and what a run would throw if the files of a task without a journal are wrong.
 * `until` says what lets it continue.
 */
export async function holdCancelled(place: TaskPlace, config: string | null, ports: PassPorts) {
  if (!stands(place.journal)) openBeforeLocking(place, config, ports);
  return await holdTask(place, ports, async (session) => {
    if (session.history.phase === null) adoptTask(session, openTask(place, config, ports));
    const { phase, cancelled } = session.history;
    const name = readIfGood(taskFiles.brief, place.taskDir)?.contract.id ?? place.name;
    const until = `RETRY in CONTROL.md or ${resumeLine(name, phase !== null && isWorkingPhase(phase) ? phase : "PHASE")}`;
    if (phase === "done") return { held: false, until, findings: session.findings };
    if (cancelled === null) noteCancelled(session, name, until);
    // Also if the task is cancelled already: that call may have been killed before it wrote them.
    const task = readable(place, config, ports);
    if (task !== null) refreshPages(session, task);
    return { held: true, until, findings: session.findings };
  });
}

function noteCancelled(session: TaskSession, name: string, until: string): void {
  const { phase } = session.history;
  const at = session.ports.now().toISOString();
  const text = `${at} ${phase ?? "intake"} cancelled by a person until ${until}\n`;
  const files = [{ path: "log.txt", text, append: true }];
  const document = findOutdated(session);
  if (document === null) accept(session, { event: { type: "cancelled", at, state: null }, state: null, files });
  else {
    const fields = { status: statusOf(cancelledBy(at, name, phase)) };
    writeState(session, document, { at, fields, event: (state) => ({ type: "cancelled", at, state }), files });
  }
}

/** Null if the brief or the configuration is wrong: the task is cancelled all the same. */
function readable(place: TaskPlace, config: string | null, ports: PassPorts): OpenTask | null {
  return orIfForeseen(() => openTask(place, config, ports), null);
}

/**
 * STATE.md, if its Status must say so; null if the phase says already that nothing runs, and if the file is not the
 * accepted one, since an edit of it is a person's until a run has judged that.
 */
function findOutdated({ place, history }: TaskSession): StateDocument | null {
  const document = readIfGood(taskFiles.state, place.taskDir)?.document;
  if (document === undefined || history.state !== stateText(document)) return null;
  return history.stop !== null || !isWorkingPhase(document.view.phase) ? null : document;
}
