import type { InspectedTask } from "../upkeep/inspect-task.ts";
import { type LoopState, passesAreDone } from "./loop-state.ts";
import { waitUntil } from "./wait.ts";

/**
 * Nothing can run now: sleeps until the first deadline of a question, as for a cooldown. `look` is asked in between, and
 * true from it ends the wait. False if there is no such deadline, or no pass may begin after it.
 */
export async function waitForAnswer(
  state: LoopState,
  tasks: readonly InspectedTask[],
  look: () => boolean,
): Promise<boolean> {
  const { ports, deadline } = state;
  const [first] = tasks
    .flatMap(({ standing, until, why, id, place }) =>
      standing === "asks" && until !== null ? { until, reason: `${id ?? place.name} asks: ${why}` } : [],
    )
    .sort((left, right) => (left.until < right.until ? -1 : 1));
  if (first === undefined) return false;
  const until = new Date(first.until);
  if (deadline !== null && until >= deadline) return false;
  if (passesAreDone(state)) return false;
  const asking = tasks.filter(({ standing }) => standing === "asks");
  ports.watch.waiting(until, first.reason, asking);
  await waitUntil(until, deadline, ports, look);
  return true;
}
