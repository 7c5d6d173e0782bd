import * as v from "valibot";
import type { TaskPlace } from "../anchor/task-place.ts";
import type { SinceCommit } from "../git/patch.ts";
import type { TaskEvent } from "../machine/events.ts";
import type { VerdictEvent } from "../machine/verdict-event.ts";
import { passRecord } from "../shapes/pass-record.ts";
import { openRecords } from "../task/pack-passes.ts";
import { readShape } from "../text/shape.ts";

const schema = v.object({ changed_paths: passRecord.entries.changed_paths });

/** The paths that a pass changed: all that its record lists, else those of the journal, which are cut off. */
export function readPassPaths(place: TaskPlace, event: VerdictEvent): string[] {
  const bytes = openRecords(place)(event.pass);
  const record = bytes.kind === "file" ? readShape(schema, bytes.bytes) : bytes;
  // The journal is what counts; who damaged the record is told by `task-phase check`.
  const { changed_paths: paths } = record.kind === "read" ? record.value : event;
  return paths.map(({ path }) => path);
}

/** A verdict names this many of its paths; what lists more of them is its record. */
const listedPaths = 200;

/**
 * What the task changed since its first pass: all that its verdicts name, and the present pass's own. Null if no
 * commit was checked out when it began.
 */
export function changedSince(
  place: TaskPlace,
  events: readonly TaskEvent[],
  changedPaths: readonly string[],
): SinceCommit | null {
  const first = events.find((event) => event.type === "pass_started" && event.head_commit !== undefined);
  const commit = first?.type === "pass_started" ? (first.head_commit ?? null) : null;
  if (commit === null) return null;
  const earlier = events.flatMap((event) => {
    if (event.type !== "verdict") return [];
    const all = event.changed_paths.length >= listedPaths;
    return all ? readPassPaths(place, event) : event.changed_paths.map(({ path }) => path);
  });
  return { commit, paths: [...new Set([...earlier, ...changedPaths])].sort() };
}
