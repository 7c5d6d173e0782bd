import type { EventEmitter } from "node:events";
import { type ProcessRow, readRow } from "./proc-table.ts";

const running = new Set<number>();

export function addTool(child: EventEmitter, pid: number | undefined): void {
  if (pid === undefined) return;
  running.add(pid);
  child.once("exit", () => running.delete(pid));
}

/** Whether this process runs it as a tool, or a tool started it. */
export function isTool(row: ProcessRow, root: string): boolean {
  for (let at: ProcessRow | null = row; at !== null && at.parent > 0; at = readRow(at.parent, root))
    if (running.has(at.pid)) return true;
  return false;
}
