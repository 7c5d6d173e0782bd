import { readTaskJournal } from "../anchor/task-journal.ts";
import { placeOf } from "../anchor/task-place.ts";
import { type RunUsage, usageOfRun } from "../machine/usage.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { inspectTask } from "../upkeep/inspect-one.ts";
import type { LoopState } from "./loop-state.ts";

/** Notes what this call has done to a task so far. A journal that cannot be read keeps what was noted before. */
export function noteWork({ request, ports, run, began, worked }: LoopState, taskDir: string): void {
  const task = inspectTask(placeOf(taskDir), request.config, ports);
  const known = worked.get(taskDir);
  worked.set(taskDir, { ...(known ?? usageOfRun([], run, "")), ...readUsage(), task });

  function readUsage(): RunUsage | null {
    try {
      return usageOfRun(readTaskJournal(task.place.journal)?.events ?? [], run, began.toISOString());
    } catch (error) {
      if (error instanceof TaskPhaseError) return null;
      throw error;
    }
  }
}
