import { isRunnable } from "../machine/standing.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { InspectedTask } from "../upkeep/inspect-task.ts";

/** The exit of a call over all of them: unreadable outranks wrong. Null if all is well. */
export function worstExit(tasks: readonly InspectedTask[]): ExitName | null {
  const exits = tasks.map((task) => task.unreadable);
  return (["failure", "data", "config"] as const).find((name) => exits.includes(name)) ?? null;
}

/**
 * The next task that a run can do something with: one whose models cool down comes after the others, then priority
 * decides, high before low, then the id. A task with an open dependency is not runnable, so dependencies come before
 * what needs them.
 */
export function chooseNext<Task extends InspectedTask>(tasks: readonly Task[]): Task | null {
  const key = (task: Task) => task.id ?? task.place.name;
  const runnable = tasks.filter(isRunnable);
  const cools = (task: Task) => (task.standing === "cooling" ? 1 : 0);
  return (
    runnable.sort((a, b) => cools(a) - cools(b) || b.priority - a.priority || (key(a) < key(b) ? -1 : 1))[0] ?? null
  );
}

/** When the first task that waits for a time could continue; null if none does. */
export function earliestEligible(tasks: readonly InspectedTask[]): string | null {
  return tasks.flatMap(({ until }) => until ?? []).sort()[0] ?? null;
}
