import { resolve } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { findRepo } from "../task/load-contract.ts";
import type { InspectedTask } from "./inspect-task.ts";

/** A task as far as its repo depends on it. */
export type InRepo = Pick<InspectedTask, "place" | "contract" | "hasGit">;

/**
 * The repo that a run of the task would take, if nobody names another; null if none is found, or the brief cannot be
 * read. Tasks of one root that name the same folder have one look in common.
 */
export function watchRepos(ports: Pick<PassPorts, "env" | "home" | "cwd">): (task: InRepo) => string | null {
  const seen = new Map<string, string | null>();
  const keys = new Map<string, string | null>();
  return (task) => {
    if (task.contract === null) return null;
    const key = sharedKey(task, keys);
    const known = key === null ? undefined : seen.get(key);
    if (known !== undefined) return known;
    const repo = find(task, ports);
    if (key !== null) seen.set(key, repo);
    return repo;
  };
}

/**
 * Null if the answer may be another one for another task: a repo must not be inside the folder of its task. `keys`:
 * those that the same words have given before.
 */
function sharedKey({ place, contract, hasGit }: InRepo, keys: Map<string, string | null>): string | null {
  const named = contract?.contract.repo ?? null;
  if (named === null) return hasGit ? null : `\0${place.tasksRoot}`;
  // From the folder above on, every task of the root means the same by it.
  const words = named.startsWith("../") ? `${place.tasksRoot}\0${named}` : null;
  const known = words === null ? undefined : keys.get(words);
  if (known !== undefined) return known;
  const path = resolve(place.taskDir, named);
  const key = path.startsWith(place.tasksRoot) ? null : path;
  if (words !== null) keys.set(words, key);
  return key;
}

function find({ place, contract }: InRepo, ports: Pick<PassPorts, "env" | "home" | "cwd">): string | null {
  if (contract === null) return null;
  try {
    return findRepo(place, contract.contract, null, ports);
  } catch (error) {
    if (error instanceof TaskPhaseError) return null;
    throw error;
  }
}
