import * as v from "valibot";
import type { TaskEvent } from "../rules/events.ts";
import { passRecord } from "../rules/shapes/pass-record.ts";
import { maxListedPaths, type VerdictEvent } from "../rules/verdict-event.ts";
import { readShape } from "../text/shape.ts";
import { openRecords } from "./pack-passes.ts";
import type { TaskPlace } from "./records/task-place.ts";
import { mayHaveChanged } from "./work-so-far.ts";

const schema = v.object({ changed_paths: passRecord.entries.changed_paths });

/** The paths that a pass changed, from its record, else from the journal, where they are cut. */
export function readPassPaths(place: TaskPlace, event: VerdictEvent): string[] {
  const bytes = openRecords(place)(event.pass);
  const record = bytes.kind === "file" ? readShape(schema, bytes.bytes) : bytes;
  // The journal counts; `task-phase check` reports a damaged record.
  const { changed_paths: paths } = record.kind === "read" ? record.value : event;
  return paths.map(({ path }) => path);
}

/** The repo paths that passes of the task changed, whatever their verdicts. */
export function pathsOfPasses(place: TaskPlace, events: readonly TaskEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== "verdict") return [];
    const all = event.changed_paths.length >= maxListedPaths;
    return all ? readPassPaths(place, event) : event.changed_paths.map(({ path }) => path);
  });
}

/** Whether the runner was killed in a pass that changed something, so that its paths were not recorded. */
export function isMissingPaths(events: readonly TaskEvent[]): boolean {
  return events.some((event) => event.type === "verdict" && event.changed_paths.length === 0 && mayHaveChanged(event));
}

/** The commit below the work: where the task began, or what it was last merged with to be landed; null without one. */
export function firstCommit(events: readonly TaskEvent[]): string | null {
  const merged = events.findLast((event) => event.type === "not_merged");
  if (merged !== undefined) return merged.commit;
  const first = events.find((event) => event.type === "pass_started" && event.head_commit !== undefined);
  return first?.type === "pass_started" ? (first.head_commit ?? null) : null;
}
