import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { LoadedConfig } from "../../documents/config/load-config.ts";
import { errorCode } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { isLocked } from "../../store/lock.ts";
import { anchorFolder, anchorName, anchorsFolder, waitsForRecovery } from "../../task/records/anchor.ts";
import { placeIn, placeOf, type TaskPlace } from "../../task/records/task-place.ts";
import { taskLockPath } from "../../task/task-lock.ts";
import { orElse } from "../../text/attempt.ts";
import type { RootList, Row } from "../listing/list-root.ts";
import { listedTasks } from "../listing/listed-tasks.ts";
import { inspectCooldowns, noCooldowns } from "./inspect-cooldowns.ts";
import {
  type InspectedTask,
  type InspectPorts,
  inspectFiles,
  inspectUnread,
  type Surroundings,
} from "./inspect-task.ts";

/**
 * The tasks of a root, by folder name. Each is inspected when it is asked for, since there may be too many to hold; asked
 * for again, it says the same.
 */
export interface RootTasks extends Iterable<InspectedTask> {
  readonly length: number;
  at(index: number): InspectedTask | undefined;
}

/**
 * The tasks of a list. `config`: null if it cannot be read, as no row then can. `isMet`: whether a task that others
 * depend on counts; missing: if it is done.
 */
export function inspectRows(
  list: RootList,
  config: LoadedConfig | null,
  ports: InspectPorts,
  isMet?: (folder: string) => boolean,
): RootTasks {
  // What is held for as long as anybody asks for tasks: not the list, which holds the figures of their files.
  const { tasksRoot } = list;
  const around = config === null ? null : surroundingsOf(list, config, ports, isMet);
  const waits = around?.waitsForRecovery ?? watchAnchors(list, ports);
  const rows = list.rows.filter((row) => row.kind === "failed" || (row.kind === "read" && around !== null));
  const inspect = (row: Row): InspectedTask | undefined => {
    const place = placeIn(tasksRoot, row.name);
    if (row.kind === "failed") return inspectUnread(place, row.error, row.told, { waitsForRecovery: waits });
    if (row.kind !== "read" || around === null) return undefined;
    try {
      return inspectFiles(place, row.files, around);
    } catch (error) {
      return inspectUnread(place, error, row.files.brief, around);
    }
  };
  const at = (index: number) => {
    const row = rows[index];
    return row === undefined ? undefined : inspect(row);
  };
  return {
    length: rows.length,
    at,
    *[Symbol.iterator]() {
      for (let index = 0, task = at(0); task !== undefined; index += 1, task = at(index)) yield task;
    },
  };
}

function surroundingsOf(
  list: RootList,
  config: LoadedConfig,
  ports: InspectPorts,
  isMet: ((folder: string) => boolean) | undefined,
): Surroundings {
  const first = list.rows[0];
  const listed = isMet === undefined ? listedTasks(list) : { ...listedTasks(list), isMet };
  const now = ports.now();
  return {
    config,
    models:
      first === undefined ? noCooldowns : inspectCooldowns(placeOf(`${list.tasksRoot}/${first.name}`), config, ports),
    isLocked: watchLocks(list.tasksRoot),
    waitsForRecovery: watchAnchors(list, ports),
    listed: () => listed,
    now: () => now,
  };
}

/** Whether a task is locked. Which locks were ever made is looked up once. */
function watchLocks(tasksRoot: string): (place: TaskPlace) => boolean {
  const names = namesIn(join(tasksRoot, ".task-phase", "locks"));
  const look = onceEach((place) => isLocked(taskLockPath(place)));
  return (place) => (names === null || names.has(`${place.name}.lock`)) && look(place);
}

/** Whether a killed run of a task left something. Which tasks have an anchor is looked up once. */
function watchAnchors({ tasksRoot, rows }: RootList, ports: InspectPorts): (place: TaskPlace) => boolean {
  const names = namesIn(anchorsFolder(ports));
  const anchorOf = (row: Row) => (row.kind === "read" ? row.anchor : anchorName(`${tasksRoot}/${row.name}`));
  const having =
    names === null || names.size === 0
      ? names
      : new Set(rows.filter((row) => names.has(anchorOf(row))).map(({ name }) => name));
  const look = onceEach((place) => {
    const folder = anchorFolder(place.taskDir, ports);
    return (isThere(`${folder}/current.json`) || isThere(`${folder}/commit.json`)) && waitsForRecovery(place, ports);
  });
  return (place) => (having === null || having.has(place.name)) && look(place);
}

/** Asks once for each task, so that every answer about it is the same. */
function onceEach(look: (place: TaskPlace) => boolean): (place: TaskPlace) => boolean {
  const seen = new Map<string, boolean>();
  return (place) => {
    const known = seen.get(place.name) ?? look(place);
    seen.set(place.name, known);
    return known;
  };
}

/** Null: it cannot be read. */
function namesIn(folder: string): ReadonlySet<string> | null {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    return errorCode(error) === "ENOENT" ? new Set() : null;
  }
}

/** What cannot be looked at may be there. */
function isThere(path: string): boolean {
  return orElse(() => statEntry(path) !== null, true);
}
