import type { StandingFacts } from "../machine/standing-facts.ts";
import { watchHindrances } from "../upkeep/hindrance.ts";
import { type InspectedTask, withFacts } from "../upkeep/inspect-task.ts";
import { watchMoved } from "../upkeep/moved-since.ts";
import type { CommandContext } from "./command.ts";

/** What no file of a task says, and who shows it looks up. */
export type More = Pick<StandingFacts, "hindered" | "moved">;

/** Finds it out. Tasks of one root and repo have most looks in common. */
export function watchMore(context: CommandContext): (task: InspectedTask) => Promise<More> | More {
  const hindranceOf = watchHindrances(context);
  const movedOf = watchMoved(context);
  return (task) => {
    const hindered = hindranceOf(task);
    if (task.phase !== "done") return { hindered, moved: null };
    return movedOf(task).then((moved) => ({ hindered, moved }));
  };
}

export function addMore<Task extends InspectedTask>(task: Task, { hindered, moved }: More): Task {
  const isSame = hindered === task.facts.hindered && moved === task.facts.moved;
  return isSame ? task : withFacts(task, { hindered, moved });
}
