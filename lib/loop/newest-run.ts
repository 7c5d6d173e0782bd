import type { InspectedTask } from "../upkeep/inspect-task.ts";

/** The newest call of the loop over a tasks root, as the journals say. */
export interface RunOfRoot {
  readonly id: string;
  /** How many passes it has started, over all tasks. */
  readonly passes: number;
  /** When the last of them began; ISO 8601, UTC. */
  readonly at: string;
}

/** Null if no loop has started a pass yet. */
export function newestRun(tasks: readonly Pick<InspectedTask, "history">[]): RunOfRoot | null {
  const runs = tasks.flatMap(({ history }) => (history.run === null ? [] : [history.run]));
  const newest = [...runs].sort((left, right) => (left.at < right.at ? 1 : -1))[0];
  if (newest === undefined) return null;
  const passes = runs.filter(({ id }) => id === newest.id).reduce((sum, run) => sum + run.passes, 0);
  return { ...newest, passes };
}
