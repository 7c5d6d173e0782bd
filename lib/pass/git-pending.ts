import { join } from "node:path";
import * as v from "valibot";
import type { SinceCommit } from "../git/patch.ts";
import type { TaskEvent, VerdictEvent } from "../machine/events.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readShape } from "../text/read-shape.ts";
import { passFolder, type TaskPlace } from "./task-place.ts";

const schema = v.looseObject({ changed_paths: v.array(v.looseObject({ path: v.string() })) });

/** The paths that a pass changed: all that its record lists, else those of the journal, which are cut off. */
export function readPassPaths(place: TaskPlace, event: VerdictEvent): string[] {
  const read = readRegularFile(join(passFolder(place, event.pass), "pass.json"), 256 * 1024 * 1024);
  const listed = event.changed_paths.map(({ path }) => path);
  if (read.kind !== "file") return listed;
  const record = readShape(schema, read.bytes);
  // The journal is what counts; who damaged the record is told by `task-phase check`.
  return record.kind === "read" ? record.value.changed_paths.map(({ path }) => path) : listed;
}

/** A verdict names this many of its paths; what lists more of them is its record. */
const listedPaths = 200;

/**
 * What the task changed since its first pass: all that its verdicts name, and the present pass's own. Null where no
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
