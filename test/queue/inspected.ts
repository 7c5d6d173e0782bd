import { type InspectedTask, inspectUnread } from "../../lib/queue/views/inspect-task.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";

/** A task of `/tasks` that no file is read for: `more` says what there is to know of it. */
export function inspected(name: string, more: Partial<InspectedTask> = {}): InspectedTask {
  const unread = inspectUnread(placeOf(`/tasks/${name}`), new Error("nothing was read"), null, {
    waitsForRecovery: () => false,
  });
  return { ...unread, id: name, standing: "runnable", unreadable: null, findings: [], until: null, ...more };
}
