import { setTimeout as sleep } from "node:timers/promises";
import { orderlyGraceMs } from "./grace.ts";
import { identityKey, type ProcessIdentity } from "./identity.ts";
import type { ProcessMark } from "./mark.ts";
import { ownLine, readRow } from "./proc-table.ts";
import { terminate } from "./send-signal.ts";
import { endTree, findSurvivors, isAlive } from "./survivors.ts";

const lookEveryMs = 50;

/**
 * Ends another runner and all that it started. Asks the runner alone first, which ends its model itself; after the
 * grace, what lives gets TERM and then KILL, found by mark and descent. True if nothing is left. Signals nothing
 * without /proc, where pids prove no identity, and never ancestors of this process.
 */
export async function endRunner(
  runner: ProcessIdentity,
  mark: ProcessMark | null,
  noted: readonly ProcessIdentity[],
  graceMs: number,
): Promise<boolean> {
  if (runner.startTime === "" || ownLine().has(runner.pid)) return false;
  const marked = mark ?? { id: "none", keepalivePath: "/nonexistent/none" };
  // While it lives: afterwards its children have another parent.
  const tree = findSurvivors(marked, [runner, ...noted]);
  const row = readRow(runner.pid);
  if (row !== null && identityKey(row) === identityKey(runner)) terminate([row]);
  for (const end = performance.now() + graceMs; isAlive(runner) && performance.now() < end; ) await sleep(lookEveryMs);
  // A runner that leads no session shares a person's shell session.
  const sharedSession = row !== null && row.session !== row.pid ? row.session : null;
  const { left } = await endTree(marked, [runner, ...noted, ...tree], Math.min(graceMs, orderlyGraceMs), {
    sharedSession,
  });
  return left.length === 0 && !isAlive(runner);
}
