import type { Phase } from "../machine/phases.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { InspectedTask } from "../upkeep/inspect-task.ts";

type StoppedTask = Pick<InspectedTask, "standing" | "asked" | "id" | "place" | "phase"> & {
  readonly history: Pick<InspectedTask["history"], "stoppedIn">;
};

/** What a person can do where nothing runs: answer, or look at the first task that is stopped; empty if neither helps. */
export function showAct(tasks: readonly StoppedTask[]): string {
  const asked = tasks.filter(({ standing }) => standing === "asks").flatMap(({ asked }) => asked).length;
  if (asked > 0) return `; ${asked === 1 ? "a question waits" : `${asked} questions wait`} for an answer`;
  const stopped = tasks.find(({ standing }) => standing === "stuck" || standing === "blocked");
  if (stopped === undefined) return "";
  const name = stopped.id ?? stopped.place.name;
  const word = quoteWord(name);
  const resume = `task-phase resume ${word} --to ${continuesIn(stopped)} --reason TEXT`;
  return `; ${name} is ${stopped.standing}: task-phase status ${word} says why, ${resume} lets it continue`;
}

/** As RETRY does it: in intake where the runner holds the task there, else where the task stopped. */
function continuesIn({ phase, history }: StoppedTask): Phase | "PHASE" {
  return phase === "intake" ? phase : (history.stoppedIn ?? "PHASE");
}
