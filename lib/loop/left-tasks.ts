import { isRunnable } from "../machine/standing.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { InspectedTask } from "../upkeep/inspect-task.ts";
import { standOf } from "./wait.ts";

/** A task that cannot continue in this call by itself, and what it ended with. */
export interface LeftTask {
  readonly exitName: ExitName;
  readonly reason: string;
  /** As `markOf` gave it when the task was left; null: nothing brings it back in this call. */
  readonly mark: string | null;
}

/** The ends that a person's word, or the deadline of a question, changes. */
const untilPerson: ReadonlySet<ExitName> = new Set([
  "needs_user_decision",
  "blocked",
  "no_progress",
  "paused",
  "iterations",
  "budget",
]);

export function leaveTask(task: InspectedTask, { exitName, reason }: Pick<LeftTask, "exitName" | "reason">): LeftTask {
  return { exitName, reason, mark: untilPerson.has(exitName) ? markOf(task) : null };
}

/** True if a person did something about a task that was left, or a deadline passed, and a run can go on with it. */
export function isBack(task: InspectedTask, { mark }: LeftTask): boolean {
  return mark !== null && isRunnable(task) && markOf(task) !== mark;
}

/** A text that differs as soon as a person has changed one of the task's files, or a question's deadline has passed. */
function markOf({ place, asked }: InspectedTask): string {
  const { state, decisions, control, readme } = place;
  const due = asked.flatMap((question) => (question.due ? question.id : []));
  return [standOf([state, decisions, control, readme]), ...due].join("\n");
}
