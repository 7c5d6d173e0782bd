import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { findGitTop } from "../git/place.ts";
import { beginList, failPending, keepList, type RootList, readPending } from "../listing/list-root.ts";
import { madeWith } from "../listing/made-with.ts";
import { parsers } from "../listing/parsers.ts";
import { readRow } from "../listing/read-row.ts";
import { inspectRows } from "./inspect-rows.ts";
import type { InspectedTask, InspectPorts } from "./inspect-task.ts";
import { realRoot } from "./real-root.ts";

/**
 * Every task of a tasks root, by folder name; a usage error if the root is not a folder. `keeps`: the state folder may
 * keep what was read for the next list.
 */
export function inspectRoot(
  tasksRoot: string,
  configFlag: string | null,
  ports: InspectPorts,
  keeps = true,
): InspectedTask[] {
  const root = realRoot(tasksRoot);
  const config = configOf(root, configFlag, ports);
  const list = config.kind === "read" ? read(root, config.value, ports, keeps) : beginList(root, "", ports);
  if (config.kind === "failed") failPending(list, config.error);
  return [...inspectRows(list, config.kind === "read" ? config.value : null, ports)];
}

function read(root: string, { defaults }: LoadedConfig, ports: InspectPorts, keeps: boolean): RootList {
  const key = madeWith(defaults);
  const list = beginList(root, key, ports);
  readPending(list, defaults, readRow, parsers);
  if (keeps) keepList(list, key, () => findGitTop(root) ?? root, ports);
  return list;
}

type ConfigRead =
  | { readonly kind: "read"; readonly value: LoadedConfig }
  | { readonly kind: "failed"; readonly error: unknown };

/** One for all tasks of the root: nobody looks for it in a task folder. */
function configOf(root: string, configFlag: string | null, ports: InspectPorts): ConfigRead {
  try {
    return { kind: "read", value: loadConfig({ ...ports, configFlag, taskDir: `${root}/any` }) };
  } catch (error) {
    return { kind: "failed", error };
  }
}
