import { realpathSync, statSync } from "node:fs";
import { type LoadedConfig, loadConfig } from "../../documents/config/load-config.ts";
import type { PartialContract } from "../../documents/contract-schema.ts";
import { findGitTop } from "../../git/place.ts";
import { isLocked } from "../../store/lock.ts";
import type { ListedTasks } from "../../task/judge-dependencies.ts";
import { listOnce } from "../../task/list-tasks.ts";
import { waitsForRecovery } from "../../task/records/anchor.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { taskLockPath } from "../../task/task-lock.ts";
import { orElse } from "../../text/attempt.ts";
import { usageError } from "../../text/errors.ts";
import { type ConfigRead, readConfig } from "../listing/kept-config.ts";
import {
  beginList,
  failPending,
  openIndex,
  type RootList,
  readPending,
  readTold,
  saveList,
} from "../listing/list-root.ts";
import { listedTasks } from "../listing/listed-tasks.ts";
import { readRow } from "../listing/read-row.ts";
import { inspectCooldowns } from "./inspect-cooldowns.ts";
import { inspectRows, type RootTasks } from "./inspect-rows.ts";
import { type InspectedTask, type InspectPorts, inspectFiles, inspectUnread } from "./inspect-task.ts";
import type { RootView } from "./root-view.ts";
import { withWords } from "./taken-words.ts";

/** Every task, by folder name; throws as `openRoot` does. `keeps`: the rows may be kept for the next list. */
export function inspectRoot(
  tasksRoot: string,
  configFlag: string | null,
  ports: InspectPorts,
  keeps = true,
): InspectedTask[] {
  return [...openRoot(tasksRoot, configFlag, ports, keeps ? "memory" : "nowhere")];
}

/**
 * Like `inspectRoot`, one task at a time: the files are read now, and only their contents are kept in memory. A usage
 * error if the root is not a folder. `keeps`: whether the result is kept for the next list in the state folder, or in
 * the memory of this process too.
 */
export function openRoot(
  tasksRoot: string,
  configFlag: string | null,
  ports: InspectPorts,
  keeps: "nowhere" | "disk" | "memory" = "disk",
): RootTasks {
  const root = realRoot(tasksRoot);
  const index = openIndex(root, ports);
  let read: ConfigRead;
  try {
    const { env, home, cwd } = ports;
    // One look-up for all tasks of the root: a task folder itself has no configuration.
    read = readConfig({ env, home, cwd, configFlag, taskDir: `${root}/any` }, index?.config ?? null);
  } catch (error) {
    const list = beginList(root, {}, null);
    failPending(list, error);
    return inspectRows(list, null, ports);
  }
  const list = beginList(root, read.config.defaults, index);
  readPending(list, read.config.defaults);
  putAhead(list, ports.view);
  if (keeps !== "nowhere") saveList(list, read, () => findGitTop(root) ?? root, ports, keeps === "memory");
  return inspectRows(list, read.config, ports);
}

/** The rows of tasks that are newer on their branches, which the next list is not to keep. */
function putAhead(list: RootList, view: RootView | undefined): void {
  for (const [name, task] of view ?? []) {
    const row = task.row.kind === "read" ? withWords(task.row, list.tasksRoot, task.note) : task.row;
    const found = list.rows.findIndex((each) => each.name >= name);
    const at = found < 0 ? list.rows.length : found;
    const isThere = list.rows[at]?.name === name;
    list.rows.splice(at, isThere ? 1 : 0, row);
    list.stamps.splice(at, isThere ? 1 : 0, null);
  }
}

/** One task, every file of it read now. */
export function inspectTask(place: TaskPlace, configFlag: string | null, ports: InspectPorts): InspectedTask {
  const waits = (task: TaskPlace) => waitsForRecovery(task, ports);
  let config: LoadedConfig | null = null;
  const newest = ports.view?.get(place.name);
  const words = newest === undefined ? ports.ahead : { tasksRoot: place.tasksRoot, note: newest.note };
  try {
    config = loadConfig({ ...ports, configFlag, taskDir: place.taskDir });
    if (newest?.row.kind === "failed") throw newest.row.error;
    const { name } = place;
    const row = newest?.row.kind === "read" ? newest.row : { name, files: readRow(place, config.defaults).files };
    const { files } = words === undefined ? row : withWords(row, words.tasksRoot, words.note);
    return inspectFiles(place, files, {
      config,
      models: inspectCooldowns(place, config, ports),
      isLocked: (task) => isLocked(taskLockPath(task)),
      waitsForRecovery: waits,
      listed: listAround(place.tasksRoot, config.defaults, ports.view),
      now: () => ports.now(),
    });
  } catch (error) {
    const told = config === null ? null : readTold(place, config.defaults);
    return inspectUnread(place, error, told, { waitsForRecovery: waits });
  }
}

/** The other tasks, each where it is newest. */
function listAround(tasksRoot: string, defaults: PartialContract, view: RootView | undefined): () => ListedTasks {
  if (view === undefined || view.size === 0) return listOnce(tasksRoot);
  return () => {
    const list = beginList(tasksRoot, defaults, null);
    readPending(list, defaults);
    putAhead(list, view);
    return listedTasks(list);
  };
}

/** The real path of a tasks root; a usage error if it is not a folder. */
export function realRoot(tasksRoot: string): string {
  const stat = orElse(() => statSync(tasksRoot), null);
  if (stat?.isDirectory() === true) return realpathSync(tasksRoot);
  throw usageError(
    "TP_TASKS_ROOT",
    stat === null ? "the tasks root does not exist" : "the tasks root is not a folder",
    {
      file: tasksRoot,
      fix: "name the folder that directly contains the task folders",
    },
  );
}
