import { lstatSync } from "node:fs";
import { formatDuration } from "../text/duration.ts";
import type { LoopPorts } from "./loop-request.ts";

/** A long wait is cut into these, so that a person's edit, a new task or a cooldown taken back is seen in between. */
const sliceMs = 60_000;

/**
 * Sleeps until the time, the deadline or an abort, whichever comes first, in slices; `look` is asked after each slice
 * and ends the wait with true.
 */
export async function waitUntil(
  until: Date,
  deadline: Date | null,
  ports: Pick<LoopPorts, "now" | "sleep" | "signal">,
  look: () => boolean,
): Promise<void> {
  const end = Math.min(until.getTime(), deadline?.getTime() ?? Number.POSITIVE_INFINITY);
  while (!ports.signal.aborted) {
    const left = end - ports.now().getTime();
    if (left <= 0) return;
    await ports.sleep(Math.min(left, sliceMs), ports.signal);
    if (look()) return;
  }
}

/** Why the call does not sleep until then; null if the wait is no longer than it may be. */
export function tooLong(until: Date, maxWaitMs: number | null, { now }: Pick<LoopPorts, "now">): string | null {
  if (maxWaitMs === null || until.getTime() - now().getTime() <= maxWaitMs) return null;
  return `the wait until ${until.toISOString()} is longer than --max-wait ${formatDuration(maxWaitMs)}`;
}

/** A text that differs as soon as one of these files was changed, made or removed. */
export function standOf(paths: readonly string[]): string {
  return paths
    .map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
    .map((stats) => (stats === undefined ? "-" : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`))
    .join("\n");
}
