import { openAnchor } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import { stands, type TaskPlace } from "../anchor/task-place.ts";
import { adoptTask } from "../people/settle-state.ts";
import { recoverTask } from "../recovery/recover.ts";
import { lockTask } from "../task/locks.ts";
import { openBeforeLocking, openTask } from "../task/open-task.ts";
import { accept, openHeld } from "../task/session.ts";

/** How a person's words let a cancelled task continue. */
export const cancelledUntil = "RETRY in CONTROL.md or task-phase resume";

/**
 * Notes in the journal that a person cancelled the task, so that no later call continues by itself; the journal of a
 * task that never ran begins with that. False if there is nothing to hold: the task is done. Throws TP_LOCKED if
 * another runner has begun meanwhile, and what a run would throw if the files of a task without a journal are wrong.
 */
export async function holdCancelled(place: TaskPlace, config: string | null, ports: PassPorts): Promise<boolean> {
  if (!stands(place.journal)) openBeforeLocking(place, config, ports);
  const locks = lockTask(place, ports);
  try {
    const anchor = openAnchor(place, ports);
    await recoverTask(place, anchor, ports, locks);
    const session = openHeld(place, anchor, ports);
    if (session.history.phase === null) adoptTask(session, openTask(place, config, ports));
    const { phase, cancelled } = session.history;
    if (phase === "done") return false;
    if (cancelled !== null) return true;
    const at = ports.now().toISOString();
    const text = `${at} ${phase ?? "intake"} cancelled by a person until ${cancelledUntil}\n`;
    accept(session, {
      event: { type: "cancelled", at },
      state: null,
      files: [{ path: "log.txt", text, append: true }],
    });
    return true;
  } finally {
    locks.release();
  }
}
