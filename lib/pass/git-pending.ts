import { join } from "node:path";
import * as v from "valibot";
import type { VerdictEvent } from "../machine/events.ts";
import { readRegularFile } from "../store/read-file.ts";
import { passFolder, type TaskPlace } from "./task-place.ts";

const schema = v.looseObject({ changed_paths: v.array(v.looseObject({ path: v.string() })) });

/** The paths that a pass changed: all that its record lists, else those of the journal, which are cut off. */
export function readPassPaths(place: TaskPlace, event: VerdictEvent): string[] {
  const read = readRegularFile(join(passFolder(place, event.pass), "pass.json"), 256 * 1024 * 1024);
  const listed = event.changed_paths.map(({ path }) => path);
  if (read.kind !== "file") return listed;
  try {
    return v.parse(schema, JSON.parse(read.bytes.toString("utf8"))).changed_paths.map(({ path }) => path);
  } catch {
    // The journal is what counts; who damaged the record is told by `task-phase check`.
    return listed;
  }
}
