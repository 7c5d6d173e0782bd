import { readHistory } from "../rules/add-event.ts";
import type { TaskEvent } from "../rules/events.ts";
import { isProven } from "../rules/headline.ts";
import { listTasks } from "../task/list-tasks.ts";
import { pathsOfPasses } from "../task/pass-paths.ts";
import { anchorFolder, readDelivered } from "../task/records/anchor.ts";
import { readTaskJournal } from "../task/records/task-journal.ts";
import { placeIn, type TaskPlace } from "../task/records/task-place.ts";
import { addTo } from "../text/add-to.ts";
import { orIfForeseen } from "../text/attempt.ts";
import { gone } from "./delivered-paths.ts";

/** What other tasks handed over, by repo path: the entry that it had then. */
export type HandedOver = ReadonlyMap<string, readonly { readonly entry: string; readonly task: string }[]>;

/**
 * The paths that passes of other tasks in this root changed that are done, each as its proof saw it. Reads every journal
 * of the root.
 */
export function listHandedOver(
  { tasksRoot, name }: Pick<TaskPlace, "tasksRoot" | "name">,
  ports: Parameters<typeof anchorFolder>[1],
): HandedOver {
  const found = new Map<string, { entry: string; task: string }[]>();
  for (const { id, folder } of listTasks(tasksRoot)) {
    const place = placeIn(tasksRoot, folder.slice(tasksRoot.length + 1));
    const events = place.name === name ? [] : readEvents(place);
    const { phase, lastVerdict: last } = readHistory(events);
    const digest = phase === "done" && isProven(last) ? last.proof.delivered : undefined;
    const entries =
      digest === undefined ? null : readDelivered({ folder: anchorFolder(place.taskDir, ports) }, digest)?.entries;
    if (entries == null) continue;
    for (const path of new Set(pathsOfPasses(place, events)))
      addTo(found, path, { entry: entries.get(path) ?? gone, task: id });
  }
  return found;
}

/** A task whose journal is damaged hands nothing over; its own runs say so. */
function readEvents({ journal }: TaskPlace): readonly TaskEvent[] {
  return orIfForeseen(() => readTaskJournal(journal)?.events ?? [], []);
}

/**
 * Of the paths in which a repo differs from the commit, those that another task handed over with these bytes; and those
 * tasks.
 */
export function filterHandedOver(
  handed: HandedOver,
  paths: readonly string[],
  entries: ReadonlyMap<string, string>,
): { readonly paths: ReadonlySet<string>; readonly tasks: readonly string[] } {
  const kept = paths.flatMap((path) => {
    const is = bytesOf(entries.get(path));
    const by = (handed.get(path) ?? []).filter(({ entry }) => bytesOf(entry) === is);
    return by.length === 0 ? [] : [{ path, tasks: by.map(({ task }) => task) }];
  });
  return { paths: new Set(kept.map(({ path }) => path)), tasks: kept.flatMap(({ tasks }) => tasks) };
}

/** Git keeps one bit of a file's mode, and the disk has all of them. */
function bytesOf(entry: string = gone): string {
  return entry.replace(/^file \d+/, "file");
}
