import type { InspectedTask } from "../upkeep/inspect-task.ts";

/** What a person can do about the first task that needs one; empty if none does. */
export function showAct(tasks: readonly InspectedTask[]): string {
  const asking = tasks.find(({ standing, asked }) => standing === "asks" && asked.length > 0);
  const [ask] = asking?.asked ?? [];
  if (asking !== undefined && ask !== undefined) {
    const name = asking.id ?? asking.place.name;
    return `; ${name} asks ${ask.id} (${ask.place}): task-phase answer ${name} ${ask.id} TEXT`;
  }
  const stopped = tasks.find(({ standing }) => standing === "stuck" || standing === "blocked");
  if (stopped === undefined) return "";
  const name = stopped.id ?? stopped.place.name;
  return `; ${name} is ${stopped.standing}: task-phase status ${name} says why, task-phase resume ${name} lets it continue`;
}
