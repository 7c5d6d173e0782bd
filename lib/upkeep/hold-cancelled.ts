import { openAnchor } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import { stands, type TaskPlace } from "../anchor/task-place.ts";
import { recoverTask } from "../recovery/recover.ts";
import { lockTask } from "../task/locks.ts";
import { accept, openHeld } from "../task/session.ts";

/**
 * Notes in the journal that a person cancelled the task, so that no later call continues by itself. False if nothing is
 * to be held: the task has not begun, or it is done or blocked. Throws TP_LOCKED if another runner has begun meanwhile.
 */
export async function holdCancelled(place: TaskPlace, ports: PassPorts): Promise<boolean> {
  if (!stands(place.journal)) return false;
  const locks = lockTask(place, ports);
  try {
    const anchor = openAnchor(place, ports);
    await recoverTask(place, anchor, ports, locks);
    const session = openHeld(place, anchor, ports);
    const { phase, cancelled } = session.history;
    if (phase === null || phase === "done" || phase === "blocked") return false;
    const event = { type: "cancelled", at: ports.now().toISOString() } as const;
    if (cancelled === null) accept(session, { event, state: null });
    return true;
  } finally {
    locks.release();
  }
}
