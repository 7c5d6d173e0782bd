import { isRunnable } from "../machine/standing.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { InspectedTask } from "../upkeep/inspect-task.ts";

/** The exit of a call over all of them: unreadable outranks wrong. Null if all is well. */
export function worstExit(tasks: readonly Pick<InspectedTask, "unreadable">[]): ExitName | null {
  const exits = tasks.map((task) => task.unreadable);
  return (["failure", "data", "config"] as const).find((name) => exits.includes(name)) ?? null;
}

type Ranked = Pick<InspectedTask, "standing" | "priority" | "id" | "place">;

/**
 * The next task that a run can do something with: one whose models cool down comes after the others, then priority
 * decides, high before low, then the id. A task with an open dependency is not runnable, so dependencies come before
 * what needs them.
 */
export function chooseNext<Task extends Ranked>(tasks: readonly Task[]): Task | null {
  let first: Task | null = null;
  for (const task of tasks) {
    if (isRunnable(task) && (first === null || comesBefore(task, first))) first = task;
  }
  return first;
}

function comesBefore(task: Ranked, other: Ranked): boolean {
  const cools = task.standing === "cooling";
  if (cools !== (other.standing === "cooling")) return !cools;
  if (task.priority !== other.priority) return task.priority > other.priority;
  return (task.id ?? task.place.name) < (other.id ?? other.place.name);
}

/** When the first task that waits for a time could continue; null if none does. */
export function earliestEligible(tasks: readonly Pick<InspectedTask, "until">[]): string | null {
  return tasks.flatMap(({ until }) => until ?? []).sort()[0] ?? null;
}
