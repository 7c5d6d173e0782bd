import { isWorkingPhase, type Phase } from "../../rules/phases.ts";
import type { TaskCheckout } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { errorFinding, type Finding } from "../../text/finding.ts";
import { quoteWord } from "../../text/shell-words.ts";

/**
 * What a person types in a shell to reopen a task; `PHASE` where the person has to choose one. The clone of a claimed
 * pass is removed, so that a person does it in a clone of their own: `checkout` says where.
 */
export function resumeCommand(
  { taskDir }: Pick<TaskPlace, "taskDir">,
  to: Phase | "PHASE",
  checkout: TaskCheckout | null,
): string {
  const resume = (folder: string) => `task-phase resume --task-dir ${quoteWord(folder)} --to ${to} --reason "..."`;
  if (checkout === null) return resume(taskDir);
  const { branch, folder } = checkout;
  if (branch === null) return `task-phase resume ${quoteWord(folder)} --to ${to} --reason "..."`;
  return `git switch ${quoteWord(branch)} && ${resume(folder)} (in a clone of the remote; then commit and push)`;
}

/** The advice for a STATE.md that no journal accepted. */
export function startsJournal(place: TaskPlace, phase: Phase, checkout: TaskCheckout | null): string {
  const resume = resumeCommand(place, isWorkingPhase(phase) ? phase : "intake", checkout);
  return `set Phase to intake, or start a journal with: ${resume}`;
}

export function noJournal(place: TaskPlace, phase: Phase, checkout: TaskCheckout | null): Finding {
  const message = `STATE.md says ${phase}, but no journal shows that it was ever accepted`;
  const fix = startsJournal(place, phase, checkout);
  return errorFinding("TP_NO_JOURNAL", message, { file: place.state, fix });
}
