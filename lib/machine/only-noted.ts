import type { TaskEvent } from "./events.ts";

/** What a call notes of the files as it finds them: the next call notes the same of the same files. */
const notes: ReadonlySet<TaskEvent["type"]> = new Set([
  "adopted",
  "brief_changed",
  "state_edited",
  "pinned",
  "watched",
]);

/** Whether a journal says nothing that its task's other files do not say: no pass, no command, no decision. */
export function isOnlyNoted(events: readonly Pick<TaskEvent, "type">[]): boolean {
  return events.every(({ type }) => notes.has(type));
}
