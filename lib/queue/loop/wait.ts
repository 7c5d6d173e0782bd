import { formatDuration } from "../../text/duration.ts";
import { msBetween } from "../../text/moment.ts";
import type { InspectedTask } from "../views/inspect-task.ts";
import type { LoopPorts } from "./loop-request.ts";
import { type Ending, type LoopState, passesAreDone } from "./loop-state.ts";

/** A long wait is cut into these, so that a person's edit, a new task or a cooldown taken back is seen in between. */
const sliceMs = 60_000;

/** Sleeps in slices until the time, the deadline, an abort, or `look` gives true. */
export async function waitUntil(
  until: Date,
  deadline: Date | null,
  ports: Pick<LoopPorts, "now" | "sleep" | "signal">,
  look: () => Promise<boolean>,
): Promise<void> {
  while (!ports.signal.aborted) {
    const now = ports.now();
    const left = Math.min(msBetween(now, until), deadline === null ? sliceMs : msBetween(now, deadline));
    if (left <= 0) return;
    await ports.sleep(Math.min(left, sliceMs), ports.signal);
    if (await look()) return;
  }
}

/** Whether no pass of this call may begin any more by then. */
export function outlasts(until: Date, { deadline, ports }: Pick<LoopState, "deadline" | "ports">): boolean {
  const now = ports.now();
  return deadline !== null && msBetween(now, until) >= msBetween(now, deadline);
}

/** Why the call does not sleep until then; null if the wait is no longer than it may be. */
export function tooLong(until: Date, maxWaitMs: number | null, { now }: Pick<LoopPorts, "now">): string | null {
  if (maxWaitMs === null || until.getTime() - now().getTime() <= maxWaitMs) return null;
  return `the wait until ${until.toISOString()} is longer than --max-wait ${formatDuration(maxWaitMs)}`;
}

/** Most deadlines are nearer; a later one is left to the next call. */
const usualWaitMs = 3_600_000;

/**
 * Nothing can run now: sleeps until the first deadline of a question, as for a cooldown. `look` is asked in between, and
 * true from it ends the wait. Else the ending of the call: if there is no such deadline, if it is later than the call
 * waits, or if no pass may begin after it.
 */
export async function waitForAnswer(
  state: LoopState,
  { tasks, ending }: { readonly tasks: readonly InspectedTask[]; readonly ending: Ending },
  look: () => Promise<boolean>,
): Promise<Ending | null> {
  const { ports, deadline, request } = state;
  const [first] = tasks
    .flatMap(({ standing, until, why, id, place }) =>
      standing === "asks" && until !== null ? { until, reason: `${id ?? place.name} asks: ${why}` } : [],
    )
    .sort((left, right) => (left.until < right.until ? -1 : 1));
  if (first === undefined) return ending;
  const until = new Date(first.until);
  if (outlasts(until, state)) return ending;
  if (passesAreDone(state)) return ending;
  const long = tooLong(until, request.maxWaitMs ?? usualWaitMs, ports);
  if (long !== null) return { ...ending, reason: `${ending.reason}; ${long}` };
  const asking = tasks.filter(({ standing }) => standing === "asks");
  ports.watch.waiting(until, first.reason, asking);
  await waitUntil(until, deadline, ports, look);
  return null;
}
