import { identityKey } from "./identity.ts";
import { type ProcessRow, readRow } from "./proc-table.ts";

/** Asks them to end. CONT after TERM, so that a stopped process wakes up and hears it. */
export function terminate(rows: readonly ProcessRow[]): void {
  for (const row of rows) {
    signalExactly(row, "SIGTERM");
    signalExactly(row, "SIGCONT");
  }
}

/** Kills exactly this one. */
export function kill(row: ProcessRow): void {
  signalExactly(row, "SIGKILL");
}

/**
 * Kills them all, first by whole groups: the kernel signals a group in one step, which no fork slips through. True
 * if there were some and the system refused each of them.
 */
export function killAll(found: {
  readonly ours: readonly ProcessRow[];
  readonly table: ReadonlyMap<number, ProcessRow>;
}): boolean {
  for (const group of wholeGroups(found.ours, found.table)) send(-group, "SIGKILL");
  // Parents first: a supervisor must not start a new child for the one that was killed.
  const oldestFirst = found.ours.toSorted((a, b) => Number(a.startTime) - Number(b.startTime));
  const sent = oldestFirst.map((row) => signalExactly(row, "SIGKILL"));
  return sent.length > 0 && sent.every((answer) => answer === "refused");
}

/** The groups in which every living process is ours. */
function wholeGroups(ours: readonly ProcessRow[], table: ReadonlyMap<number, ProcessRow>): Set<number> {
  const groups = new Set(ours.map((row) => row.group).filter((group) => group > 1));
  const keys = new Set(ours.map(identityKey));
  for (const row of table.values()) if (!row.ended && !keys.has(identityKey(row))) groups.delete(row.group);
  return groups;
}

/** The number may belong to another process by now, so the start time is compared right before. */
function signalExactly(row: ProcessRow, signal: NodeJS.Signals): "sent" | "gone" | "refused" {
  const now = readRow(row.pid);
  if (now === null || now.ended || now.startTime !== row.startTime) return "gone";
  return send(row.pid, signal);
}

/** Signals one process, or with a negative number a whole group. */
export function send(pid: number, signal: NodeJS.Signals | 0): "sent" | "gone" | "refused" {
  try {
    process.kill(pid, signal);
    return "sent";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "refused" : "gone";
  }
}
