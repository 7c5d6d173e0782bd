import type { InspectedTask } from "../upkeep/inspect-task.ts";
import { type Ending, type LoopState, passesAreDone } from "./loop-state.ts";
import { tooLong, waitUntil } from "./wait.ts";

/** Most deadlines are nearer; whoever waits for a later one is rather asked again by the next call. */
const usualWaitMs = 3_600_000;

/**
 * Nothing can run now: sleeps until the first deadline of a question, as for a cooldown. `look` is asked in between, and
 * true from it ends the wait. Else the ending of the call: if there is no such deadline, if it is later than the call
 * waits, or if no pass may begin after it.
 */
export async function waitForAnswer(
  state: LoopState,
  { tasks, ending }: { readonly tasks: readonly InspectedTask[]; readonly ending: Ending },
  look: () => boolean,
): Promise<Ending | null> {
  const { ports, deadline, request } = state;
  const [first] = tasks
    .flatMap(({ standing, until, why, id, place }) =>
      standing === "asks" && until !== null ? { until, reason: `${id ?? place.name} asks: ${why}` } : [],
    )
    .sort((left, right) => (left.until < right.until ? -1 : 1));
  if (first === undefined) return ending;
  const until = new Date(first.until);
  if (deadline !== null && until >= deadline) return ending;
  if (passesAreDone(state)) return ending;
  const long = tooLong(until, request.maxWaitMs ?? usualWaitMs, ports);
  if (long !== null) return { ...ending, reason: `${ending.reason}; ${long}` };
  const asking = tasks.filter(({ standing }) => standing === "asks");
  ports.watch.waiting(until, first.reason, asking);
  await waitUntil(until, deadline, ports, look);
  return null;
}
