import type { Phase } from "./phases.ts";

/** The command that continues a stopped task in this phase; quotes a name that a shell would split. */
export function resumeLine(task: string, to: Phase | "PHASE"): string {
  const word = /^[\w./-]+$/.test(task) ? task : `'${task.replaceAll("'", "'\\''")}'`;
  return `task-phase resume ${word} --to ${to} --reason TEXT`;
}
