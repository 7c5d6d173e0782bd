import { findGitTop } from "../git/place.ts";
import { type ConfigRead, readConfig } from "../listing/kept-config.ts";
import { beginList, failPending, keepList, openIndex, readPending } from "../listing/list-root.ts";
import { parsers } from "../listing/parsers.ts";
import { readRow } from "../listing/read-row.ts";
import { inspectRows, type RootTasks } from "./inspect-rows.ts";
import type { InspectedTask, InspectPorts } from "./inspect-task.ts";
import { realRoot } from "./real-root.ts";

/**
 * Every task of a tasks root, by folder name; throws as `openRoot` does. `keeps`: what was read may be kept for the next
 * list.
 */
export function inspectRoot(
  tasksRoot: string,
  configFlag: string | null,
  ports: InspectPorts,
  keeps = true,
): InspectedTask[] {
  return [...openRoot(tasksRoot, configFlag, ports, keeps ? "memory" : "nowhere")];
}

/**
 * The same one by one: all that their files say is read now, and only that is held. A usage error if the root is not a
 * folder. `keeps`: what was read is kept for the next list in the state folder, or in the memory of this process too.
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
    // One for all tasks of the root: nobody looks for it in a task folder.
    read = readConfig({ env, home, cwd, configFlag, taskDir: `${root}/any` }, index?.config ?? null);
  } catch (error) {
    const list = beginList(root, {}, null);
    failPending(list, error);
    return inspectRows(list, null, ports);
  }
  const list = beginList(root, read.config.defaults, index);
  readPending(list, read.config.defaults, readRow, parsers);
  if (keeps !== "nowhere") keepList(list, read, () => findGitTop(root) ?? root, ports, keeps === "memory");
  return inspectRows(list, read.config, ports);
}
