import type { EventEmitter } from "node:events";
import { type ProcessRow, readRow } from "./proc-table.ts";

const running = new Set<number>();

/** The runner runs it for itself, until it ends. */
export function noteTool(child: EventEmitter, pid: number | undefined): void {
  if (pid === undefined) return;
  running.add(pid);
  child.once("exit", () => running.delete(pid));
}

/** Whether it is a tool that this process runs for itself now, or was started by one. */
export function isTool(row: ProcessRow, root: string): boolean {
  for (let at: ProcessRow | null = row; at !== null && at.parent > 0; at = readRow(at.parent, root))
    if (running.has(at.pid)) return true;
  return false;
}
