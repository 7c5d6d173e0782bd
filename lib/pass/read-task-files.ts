import { configCandidates } from "../config/find-config.ts";
import type { TaskEvent } from "../machine/events.ts";
import { readHistory, type TaskHistory } from "../machine/history.ts";
import type { StateView } from "../machine/state-view.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { readRegularFile } from "../store/read-file.ts";
import { createStatCache } from "../store/stat-cache.ts";
import type { Question } from "../task-folder/decisions.ts";
import { readState } from "../task-folder/state.ts";
import { loadContract, type TaskContract } from "./load-contract.ts";
import { lookAtQuestions, requireOwnFolders, requireReadable, unreadableFile } from "./look.ts";
import type { PassPorts } from "./ports.ts";
import { stateText } from "./state-text.ts";
import { emptyJournal, readTaskJournal } from "./task-journal.ts";
import type { TaskPlace } from "./task-place.ts";

export type InspectPorts = Pick<PassPorts, "env" | "home" | "cwd" | "now">;

/** What a task's files say; nothing of it depends on the clock, on locks or on other tasks. */
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

/** Throws a TaskPhaseError if one of them cannot be read. */
export function readTaskFiles(place: TaskPlace, configFlag: string | null, ports: InspectPorts): ReadTaskFiles {
  const { env, home, cwd } = ports;
  const configs = configCandidates({ configFlag, env, home, cwd, taskDir: place.taskDir });
  const { readme, state, steps, decisions, evidence, artifacts, passes, journal } = place;
  return filesSeen([readme, state, steps, decisions, evidence, artifacts, passes, journal, ...configs], () => {
    const loaded = loadContract(place, configFlag, ports);
    requireOwnFolders(place);
    requireReadable(place);
    return { loaded, ...readJournalAndState(place), questions: lookAtQuestions(place) };
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

function readJournalAndState(place: TaskPlace): Pick<ReadTaskFiles, "history" | "movedAt" | "state" | "edited"> {
  const read = readRegularFile(place.state, 1024 * 1024);
  if (read.kind !== "file") throw unreadableFile(place.state, read);
  const state = readState(read.bytes, place.state);
  if (state.kind === "unreadable") throw new TaskPhaseError("data", state.findings);
  const { events } = readTaskJournal(place.journal) ?? emptyJournal;
  const history = readHistory(events);
  return {
    history,
    movedAt: events.findLast(({ type }) => moves.has(type))?.at ?? null,
    state: state.document.view,
    edited: history.state !== null && history.state !== stateText(state.document),
  };
}
