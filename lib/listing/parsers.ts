import { readTaskJournal } from "../anchor/task-journal.ts";
import { stands, type TaskPlace } from "../anchor/task-place.ts";
import { readHistory } from "../machine/add-event.ts";
import type { TaskEvent } from "../machine/events.ts";
import type { TaskHistory } from "../machine/history.ts";
import type { Phase } from "../machine/phases.ts";
import { asksRetry, holdsBack } from "../people/control-file.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { isDone, readListed } from "../task/dependencies.ts";
import type { NeededTask } from "../task/judge-dependencies.ts";
import { requireOwnFolders } from "../task/own-folders.ts";
import type { Contract } from "../task-folder/contract.ts";
import type { PartialContract } from "../task-folder/contract-schema.ts";
import type { Question } from "../task-folder/decisions.ts";
import { stateText } from "../task-folder/state.ts";
import { readTaskFile, taskFiles } from "../task-folder/task-files.ts";

/** What reads every form of a task's files; a module of its own, since most lists need none of it. */
export interface Parsers {
  readBrief(place: TaskPlace, defaults: PartialContract): { readonly contract: Contract; readonly isEmpty: boolean };
  readState(place: TaskPlace): { readonly phase: Phase; readonly blockers: string; readonly text: string };
  requireOwnFolders(place: TaskPlace): void;
  /** Null if there is no journal. */
  readJournal(place: TaskPlace): { readonly history: TaskHistory; readonly movedAt: string | null } | null;
  requireSteps(place: TaskPlace): void;
  readQuestions(place: TaskPlace): readonly Question[];
  requireEvidence(place: TaskPlace): void;
  readControl(place: TaskPlace): { readonly paused: string | null; readonly retry: boolean };
  /** True if something is at the path, a dangling link included. */
  stands(path: string): boolean;
  /** Null if the brief cannot be read. */
  readTold(place: TaskPlace, defaults: PartialContract): ToldBrief | null;
  /** As another task's `depends_on` finds it; null if the brief cannot be read. */
  readListed(place: TaskPlace): NeededTask | null;
  /** Throws if the journal cannot be read. */
  isDone(place: TaskPlace): boolean;
}

/** What is shown of a task whose other files cannot be read. */
export type ToldBrief = Pick<Contract, "id" | "title" | "dependsOn">;

export const parsers: Parsers = {
  readBrief: ({ taskDir }, defaults) => readTaskFile(taskFiles.brief, taskDir, defaults),
  readState({ taskDir }) {
    const { document } = readTaskFile(taskFiles.state, taskDir);
    const { phase, fields } = document.view;
    return { phase, blockers: fields.blockers, text: stateText(document) };
  },
  requireOwnFolders,
  readJournal(place) {
    const journal = readTaskJournal(place.journal);
    if (journal === null) return null;
    const movedAt = journal.events.findLast(({ type }) => moves.has(type))?.at ?? null;
    return { history: readHistory(journal.events), movedAt };
  },
  requireSteps: ({ taskDir }) => void readTaskFile(taskFiles.steps, taskDir),
  readQuestions: ({ taskDir }) => readTaskFile(taskFiles.decisions, taskDir).questions,
  requireEvidence: ({ taskDir }) => void readTaskFile(taskFiles.evidence, taskDir),
  readControl: (place) => ({ paused: holdsBack(place), retry: asksRetry(place) }),
  stands,
  readTold({ taskDir }, defaults) {
    try {
      const { id, title, dependsOn } = readTaskFile(taskFiles.brief, taskDir, defaults).contract;
      return { id, title, dependsOn };
    } catch (error) {
      if (error instanceof TaskPhaseError) return null;
      throw error;
    }
  },
  readListed: ({ taskDir }) => readListed(taskDir),
  isDone: ({ taskDir }) => isDone(taskDir),
};

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
