import type { PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { readHistory } from "../machine/add-event.ts";
import type { TaskEvent } from "../machine/events.ts";
import type { TaskHistory } from "../machine/history.ts";
import type { StateView } from "../machine/state-view.ts";
import { createStatCache } from "../store/stat-cache.ts";
import type { TaskContract } from "../task/load-contract.ts";
import { filesOf, readTask } from "../task/open-task.ts";
import type { Question } from "../task-folder/decisions.ts";
import { stateText } from "../task-folder/state.ts";

export type InspectPorts = Pick<PassPorts, "env" | "home" | "cwd" | "now">;

/** The contents of a task's files; nothing in it depends on the clock, on locks or on other tasks. */
export interface ReadTaskFiles {
  readonly loaded: TaskContract;
  readonly history: TaskHistory;
  /** When the newest event that judged or moved the task was recorded, ISO 8601, UTC; null before the first. */
  readonly movedAt: string | null;
  readonly state: StateView;
  /** STATE.md differs from the last accepted one. */
  readonly edited: boolean;
  readonly questions: readonly Question[];
}

// A loop over a root looks at every task before each pass.
const filesSeen = createStatCache<ReadTaskFiles>();

/** Throws a TaskPhaseError if one of them cannot be read. The journal itself is not kept: a root can have thousands. */
export function readTaskFiles(place: TaskPlace, configFlag: string | null, ports: InspectPorts): ReadTaskFiles {
  return filesSeen(filesOf(place, configFlag, ports), () => {
    const {
      state,
      questions,
      journal,
      steps: _steps,
      evidence: _evidence,
      ...loaded
    } = readTask(place, configFlag, ports);
    const history = readHistory(journal.events);
    return {
      loaded,
      history,
      movedAt: journal.events.findLast(({ type }) => moves.has(type))?.at ?? null,
      state: state.view,
      edited: history.state !== null && history.state !== stateText(state),
      questions,
    };
  });
}

/** The events that judge a task or move it; the others only note something. */
const moves: ReadonlySet<TaskEvent["type"]> = new Set([
  "adopted",
  "state_edited",
  "defaulted",
  "verdict",
  "escalated",
  "resumed",
  "answered",
]);
