import type { InspectedTask } from "../upkeep/inspect-task.ts";

/** What a person can do where nothing runs: answer, or look at the first task that is stopped; empty if neither helps. */
export function showAct(tasks: readonly Pick<InspectedTask, "standing" | "asked" | "id" | "place">[]): string {
  const asked = tasks.filter(({ standing }) => standing === "asks").flatMap(({ asked }) => asked).length;
  if (asked > 0) return `; ${asked === 1 ? "a question waits" : `${asked} questions wait`} for an answer`;
  const stopped = tasks.find(({ standing }) => standing === "stuck" || standing === "blocked");
  if (stopped === undefined) return "";
  const name = stopped.id ?? stopped.place.name;
  return `; ${name} is ${stopped.standing}: task-phase status ${name} says why, task-phase resume ${name} lets it continue`;
}
