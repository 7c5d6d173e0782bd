import { readdirSync } from "node:fs";
import { join } from "node:path";
import { anchorFolder, anchorName, anchorsFolder, waitsForRecovery } from "../anchor/anchor.ts";
import { placeOf, type TaskPlace } from "../anchor/task-place.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { RootList, Row } from "../listing/list-root.ts";
import { listedTasks } from "../listing/listed-tasks.ts";
import { errorCode } from "../store/error-code.ts";
import { lookAt } from "../store/folder.ts";
import { isLocked } from "../store/lock.ts";
import { taskLockPath } from "../task/task-lock.ts";
import { inspectCooldowns, noCooldowns } from "./inspect-cooldowns.ts";
import {
  type InspectedTask,
  type InspectPorts,
  inspectFiles,
  inspectUnread,
  type Surroundings,
} from "./inspect-task.ts";

/** The tasks of a list, one after the other, in its order. `config`: null if it cannot be read, as no row then can. */
export function* inspectRows(
  list: RootList,
  config: LoadedConfig | null,
  ports: InspectPorts,
): Generator<InspectedTask, void> {
  const around = config === null ? null : surroundingsOf(list, config, ports);
  const waits = around?.waitsForRecovery ?? watchAnchors(list, ports);
  for (const row of list.rows) {
    const place = placeOf(`${list.tasksRoot}/${row.name}`);
    if (row.kind === "failed") yield inspectUnread(place, row.error, row.told, { waitsForRecovery: waits });
    if (row.kind !== "read" || around === null) continue;
    try {
      yield inspectFiles(place, row.files, around);
    } catch (error) {
      yield inspectUnread(place, error, row.files.brief, around);
    }
  }
}

function surroundingsOf(list: RootList, config: LoadedConfig, ports: InspectPorts): Surroundings {
  const first = list.rows[0];
  const listed = listedTasks(list);
  const locked = watchLocks(list.tasksRoot);
  return {
    config,
    models:
      first === undefined ? noCooldowns : inspectCooldowns(placeOf(`${list.tasksRoot}/${first.name}`), config, ports),
    isLocked: locked,
    waitsForRecovery: watchAnchors(list, ports),
    listed: () => listed,
    now: () => ports.now(),
  };
}

/** Whether a task is locked. Which locks were ever made is looked up once. */
function watchLocks(tasksRoot: string): (place: TaskPlace) => boolean {
  const names = namesIn(join(tasksRoot, ".task-phase", "locks"));
  return (place) => (names === null || names.has(`${place.name}.lock`)) && isLocked(taskLockPath(place));
}

/** Whether a killed run of a task left something. Which tasks have an anchor is looked up once. */
function watchAnchors({ tasksRoot, rows }: RootList, ports: InspectPorts): (place: TaskPlace) => boolean {
  const names = namesIn(anchorsFolder(ports));
  const anchorOf = (row: Row) => (row.kind === "read" ? row.anchor : anchorName(`${tasksRoot}/${row.name}`));
  const having =
    names === null || names.size === 0
      ? names
      : new Set(rows.filter((row) => names.has(anchorOf(row))).map(({ name }) => name));
  return (place) => {
    if (having !== null && !having.has(place.name)) return false;
    const folder = anchorFolder(place.taskDir, ports);
    return (isThere(`${folder}/current.json`) || isThere(`${folder}/commit.json`)) && waitsForRecovery(place, ports);
  };
}

/** Null: nobody knows. */
function namesIn(folder: string): ReadonlySet<string> | null {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    return errorCode(error) === "ENOENT" ? new Set() : null;
  }
}

/** What cannot be looked at may be there. */
function isThere(path: string): boolean {
  try {
    return lookAt(path) !== null;
  } catch {
    return true;
  }
}
