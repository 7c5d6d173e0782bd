import type { PassPorts } from "../anchor/ports.ts";
import { stands, type TaskPlace } from "../anchor/task-place.ts";
import { isWorkingPhase } from "../machine/phases.ts";
import { cancelledBy, resumeForm, statusOf } from "../machine/standing.ts";
import { adoptTask } from "../people/settle-state.ts";
import { holdTask } from "../recovery/hold-task.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { Finding } from "../report/finding.ts";
import { type OpenTask, openBeforeLocking, openTask } from "../task/open-task.ts";
import { accept, type TaskSession } from "../task/session.ts";
import { type StateDocument, stateText } from "../task-folder/state.ts";
import { readIfGood, taskFiles } from "../task-folder/task-files.ts";
import { refreshPages } from "../verdict/write-evidence.ts";
import { writeState } from "../verdict/write-state.ts";

/** How a person's words let a cancelled task continue. */
export const cancelledUntil = `RETRY in CONTROL.md or ${resumeForm}`;

export interface HeldCancelled {
  readonly held: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Notes in the journal that a person cancelled the task, so that no later call continues by itself; the journal of a
 * task that never ran begins with that. Nothing is held if the task is done. Throws TP_LOCKED if
 * another runner has begun meanwhile, and what a run would throw if the files of a task without a journal are wrong.
 */
export async function holdCancelled(place: TaskPlace, config: string | null, ports: PassPorts): Promise<HeldCancelled> {
  if (!stands(place.journal)) openBeforeLocking(place, config, ports);
  return await holdTask(place, ports, async (session) => {
    if (session.history.phase === null) adoptTask(session, openTask(place, config, ports));
    const { phase, cancelled } = session.history;
    if (phase === "done") return { held: false, findings: session.findings };
    if (cancelled !== null) return { held: true, findings: session.findings };
    const at = ports.now().toISOString();
    const text = `${at} ${phase ?? "intake"} cancelled by a person until ${cancelledUntil}\n`;
    const files = [{ path: "log.txt", text, append: true }];
    const document = findOutdated(session);
    if (document === null) accept(session, { event: { type: "cancelled", at, state: null }, state: null, files });
    else {
      const fields = { status: statusOf(cancelledBy(at)) };
      writeState(session, document, { at, fields, event: (state) => ({ type: "cancelled", at, state }), files });
    }
    const task = readable(place, config, ports);
    if (task !== null) refreshPages(session, task);
    return { held: true, findings: session.findings };
  });
}

/** Null if the brief or the configuration is wrong: the task is cancelled all the same. */
function readable(place: TaskPlace, config: string | null, ports: PassPorts): OpenTask | null {
  try {
    return openTask(place, config, ports);
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return null;
  }
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
