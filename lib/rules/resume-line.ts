import type { Phase } from "./phases.ts";

/** What a person types to let a stopped task continue in this phase; a name that a shell would split is quoted. */
export function resumeLine(task: string, to: Phase | "PHASE"): string {
  const word = /^[\w./-]+$/.test(task) ? task : `'${task.replaceAll("'", "'\\''")}'`;
  return `task-phase resume ${word} --to ${to} --reason TEXT`;
}
