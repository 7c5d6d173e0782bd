import type { TaskEvent } from "./events.ts";

/** Events that only record the files as found, which the next call would record again. */
const notes: ReadonlySet<TaskEvent["type"]> = new Set([
  "adopted",
  "brief_changed",
  "state_edited",
  "pinned",
  "watched",
  "held",
]);

/** Whether a journal adds nothing to the task's other files: no pass, no command, no decision. */
export function isOnlyNoted(events: readonly Pick<TaskEvent, "type">[]): boolean {
  return events.every(({ type }) => notes.has(type));
}
