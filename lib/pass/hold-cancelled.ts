import { openAnchor } from "./anchor.ts";
import { lockTask } from "./locks.ts";
import type { PassPorts } from "./ports.ts";
import { recoverTask } from "./recover.ts";
import { accept, openSession } from "./session.ts";
import { stands, type TaskPlace } from "./task-place.ts";

/**
 * Notes in the journal that a person cancelled the task, so that no later call goes on by itself. False if nothing is to
 * be held: the task has not begun, or it is done or blocked. Throws TP_LOCKED if another runner has begun meanwhile.
 */
export async function holdCancelled(place: TaskPlace, ports: PassPorts): Promise<boolean> {
  if (!stands(place.journal)) return false;
  const locks = lockTask(place, ports);
  try {
    const anchor = openAnchor(place, ports);
    await recoverTask(place, anchor, ports, locks);
    const session = openSession(place, anchor, ports);
    const { phase, cancelled } = session.history;
    if (phase === null || phase === "done" || phase === "blocked") return false;
    const event = { type: "cancelled", at: ports.now().toISOString() } as const;
    if (cancelled === null) accept(session, { event, state: null });
    return true;
  } finally {
    locks.release();
  }
}
