import { identityKey } from "./identity.ts";
import { type ProcessRow, readRow } from "./proc-table.ts";

/** CONT after TERM wakes a stopped process. */
export function terminate(rows: readonly ProcessRow[]): void {
  for (const row of rows) {
    signalExactly(row, "SIGTERM");
    signalExactly(row, "SIGCONT");
  }
}

export function kill(row: ProcessRow): void {
  signalExactly(row, "SIGKILL");
}

/** Whole groups first, in one step that no fork escapes. True if the system refused each one. */
export function killAll(found: {
  readonly ours: readonly ProcessRow[];
  readonly table: ReadonlyMap<number, ProcessRow>;
}): boolean {
  for (const group of wholeGroups(found.ours, found.table)) send(-group, "SIGKILL");
  // Parents first: a supervisor must not replace a killed child.
  const oldestFirst = found.ours.toSorted((a, b) => Number(a.startTime) - Number(b.startTime));
  const sent = oldestFirst.map((row) => signalExactly(row, "SIGKILL"));
  return sent.length > 0 && sent.every((answer) => answer === "refused");
}

/** Groups in which every living process is ours. */
function wholeGroups(ours: readonly ProcessRow[], table: ReadonlyMap<number, ProcessRow>): Set<number> {
  const groups = new Set(ours.map((row) => row.group).filter((group) => group > 1));
  const keys = new Set(ours.map(identityKey));
  for (const row of table.values()) if (!row.ended && !keys.has(identityKey(row))) groups.delete(row.group);
  return groups;
}

/** Compares the start time right before, since pids are reused. */
function signalExactly(row: ProcessRow, signal: NodeJS.Signals): "sent" | "gone" | "refused" {
  const now = readRow(row.pid);
  if (now === null || now.ended || now.startTime !== row.startTime) return "gone";
  return send(row.pid, signal);
}

/** A negative number signals a group. */
export function send(pid: number, signal: NodeJS.Signals | 0): "sent" | "gone" | "refused" {
  try {
    process.kill(pid, signal);
    return "sent";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "refused" : "gone";
  }
}
