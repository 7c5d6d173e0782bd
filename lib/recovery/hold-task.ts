import { openAnchor } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { type HeldLocks, lockTask } from "../task/locks.ts";
import { type HeldTask, openHeld } from "../task/session.ts";
import { recoverTask } from "./recover.ts";

/** Locks the task, and does the work on it once what a killed run left is finished or undone. */
export async function holdTask<Value>(
  place: TaskPlace,
  ports: PassPorts,
  work: (session: HeldTask) => Promise<Value>,
): Promise<Value> {
  const locks = lockTask(place, ports);
  try {
    return await work(await openRecovered(place, ports, locks));
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
