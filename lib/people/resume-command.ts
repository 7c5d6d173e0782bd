import type { TaskPlace } from "../anchor/task-place.ts";
import { isWorkingPhase, type Phase } from "../machine/phases.ts";
import { quoteWord } from "../text/shell-words.ts";

/** What a person types in a shell to reopen a task; `PHASE` where the person has to choose one. */
export function resumeCommand({ taskDir }: TaskPlace, to: Phase | "PHASE"): string {
  return `task-phase resume --task-dir ${quoteWord(taskDir)} --to ${to} --reason "..."`;
}

/** The advice for a STATE.md that no journal accepted. */
export function startsJournal(place: TaskPlace, phase: Phase): string {
  return `set Phase to intake, or start a journal with: ${resumeCommand(place, isWorkingPhase(phase) ? phase : "intake")}`;
}
