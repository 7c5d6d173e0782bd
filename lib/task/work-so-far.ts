import { join } from "node:path";
import { passPath } from "../documents/pass-pack.ts";
import type { TaskEvent } from "../rules/events.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import { passFolder, stands, type TaskPlace } from "./records/task-place.ts";

/**
 * The newest of the passes that were cut off since the last one that ended by itself, with the repo paths that all of
 * them changed; no paths if the runner was killed, too. Null if they left nothing.
 */
export function findLeftover(events: readonly TaskEvent[]): { pass: number; paths: readonly string[] } | null {
  const verdicts = events.filter((event) => event.type === "verdict");
  const ended = verdicts.findLastIndex(({ verdict }) => verdict !== "interrupted" && verdict !== "unavailable");
  const left = verdicts.slice(ended + 1).filter(mayHaveChanged);
  const newest = left.at(-1);
  if (newest === undefined) return null;
  const paths = left.flatMap((event) => event.changed_paths.map(({ path }) => path));
  return { pass: newest.pass, paths: [...new Set(paths)] };
}

/** Of a pass whose runner was killed, the next one recorded the fingerprint alone. */
export function mayHaveChanged({ changed_paths: paths, fingerprint }: VerdictEvent): boolean {
  return paths.length > 0 || fingerprint.before !== fingerprint.after;
}

/** The newest patch of all that the task changed in the repo, relative to the task folder; null if there is none. */
export function findTaskPatch(place: TaskPlace, events: readonly TaskEvent[]): string | null {
  const newest = events.findLast(
    (event) =>
      event.type === "verdict" &&
      event.changed_paths.length > 0 &&
      stands(join(passFolder(place, event.pass), "task.patch")),
  );
  return newest?.type === "verdict" ? `${passPath(newest.pass)}/task.patch` : null;
}
