import type { TaskPlace } from "../anchor/task-place.ts";
import type { Phase } from "../machine/phases.ts";
import { quoteWord } from "../text/shell-words.ts";

/** What a person types in a shell to reopen a task; `PHASE` where the person has to choose one. */
export function resumeCommand({ taskDir }: TaskPlace, to: Phase | "PHASE"): string {
  return `task-phase resume --task-dir ${quoteWord(taskDir)} --to ${to} --reason "..."`;
}
