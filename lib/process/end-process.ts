import { setTimeout as sleep } from "node:timers/promises";
import { orderlyGraceMs } from "../machine/grace.ts";
import { identityKey, type ProcessIdentity } from "./identity.ts";
import type { ProcessMark } from "./mark.ts";
import { ownLine, readRow } from "./proc-table.ts";
import { terminate } from "./send-signal.ts";
import { endTree, findSurvivors, isAlive } from "./survivors.ts";

const lookEveryMs = 50;

/**
 * Ends another runner with all that it started. It is asked first, alone, and ends its model itself; what lives after
 * the grace, the runner included, gets TERM and then KILL, found by the mark and by descent. True if none of it is
 * left. Without /proc a process cannot be told from a later one with its number, and no process ends
 * what it descends from: then nothing is signalled.
 */
export async function endRunner(
  runner: ProcessIdentity,
  mark: ProcessMark | null,
  noted: readonly ProcessIdentity[],
  graceMs: number,
): Promise<boolean> {
  if (runner.startTime === "" || ownLine().has(runner.pid)) return false;
  const marked = mark ?? { id: "none", tetherPath: "/nonexistent/none" };
  // Looked up while it lives: its children have another parent once it has ended.
  const tree = findSurvivors(marked, [runner, ...noted]);
  const row = readRow(runner.pid);
  if (row !== null && identityKey(row) === identityKey(runner)) terminate([row]);
  for (const end = performance.now() + graceMs; isAlive(runner) && performance.now() < end; ) await sleep(lookEveryMs);
  // A runner that does not lead its session shares it with a person's shell, and with all that was started there.
  const sharedSession = row !== null && row.session !== row.pid ? row.session : null;
  const { left } = await endTree(marked, [runner, ...noted, ...tree], Math.min(graceMs, orderlyGraceMs), {
    sharedSession,
  });
  return left.length === 0 && !isAlive(runner);
}
