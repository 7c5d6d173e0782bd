import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { configError } from "../report/errors.ts";
import { neverSynced, removeAll } from "../store/folder.ts";
import { openSnapshotStore, type SnapshotStore } from "../store/snapshot.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { openTreeShelf, type TreeShelf } from "../store/tree-shelf.ts";
import { sha256 } from "../text/sha256.ts";
import { forgetOwnWrites } from "./own-writes.ts";
import type { PassPorts } from "./ports.ts";
import { readCommit, readCurrent } from "./records.ts";
import type { TaskPlace } from "./task-place.ts";

/**
 * The runner's own copy, outside repo and tasks root, of what a pass must not change. It says which pass is running,
 * and holds the next event of the journal before the journal has it, so that a run that was killed can be finished or
 * undone.
 */
export interface Anchor {
  readonly folder: string;
  readonly store: SnapshotStore;
  /** Copies that all tasks of the root share. */
  readonly trees: TreeShelf;
  readonly spool: string;
}

/** The folder of a task's anchor; nothing is made. */
export function anchorFolder(taskDir: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(anchorsFolder(ports), anchorName(taskDir));
}

/** Where the anchors of all tasks are. */
export function anchorsFolder({ env, home }: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(env, home), "tasks");
}

/** What the folder of a task's anchor is called in there. */
export function anchorName(taskDir: string): string {
  return sha256(taskDir).slice(0, 32);
}

/** Opens the anchor, making its folders. A config error if it would lie in the repo or the tasks root. */
export function openAnchor(place: TaskPlace, ports: Pick<PassPorts, "env" | "home">): Anchor {
  const folder = anchorFolder(place.taskDir, ports);
  refuseInside(folder, place.tasksRoot, "the tasks root");
  openPrivateFolder(folder);
  const spool = join(folder, "spool");
  const pool = join(stateHome(ports.env, ports.home), "copies");
  const trees = openTreeShelf(treesFolder(place.tasksRoot, ports), folder);
  return { folder, spool, trees, store: openSnapshotStore(join(folder, "copies"), { pool, packs: trees.packs }) };
}

/** Where the copies are that the tasks of a root share. */
function treesFolder(tasksRoot: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(ports.env, ports.home), "trees", sha256(tasksRoot).slice(0, 32));
}

/** Where it is kept what was seen of a repo, a real path. */
export function seenFile(repo: string, ports: Pick<PassPorts, "env" | "home">): string {
  return join(stateHome(ports.env, ports.home), "seen", sha256(repo).slice(0, 32));
}

/** The state folder must lie outside what a pass may write. */
export function refuseInside(folder: string, root: string, what: string): void {
  const real = realPlaceOf(folder);
  if (real === root || real.startsWith(`${root}/`)) {
    throw configError("TP_STATE_HOME", `the runner's state folder is inside ${what}, where a pass can write`, {
      file: folder,
      fix: "set XDG_STATE_HOME to a folder outside the repo and the tasks root",
    });
  }
}

/** Where a path leads, links followed as far as there is anything. */
function realPlaceOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realPlaceOf(dirname(path)), basename(path));
  }
}

/**
 * An empty spool for the outputs of the next pass, and nothing that the runner wrote in it yet; durable with the record
 * of the pass.
 */
export function clearSpool(anchor: Anchor): void {
  removeAll(anchor.spool);
  openPrivateFolder(anchor.spool, neverSynced);
  forgetOwnWrites(anchor);
}

/** True if a killed run left something that the next start must finish or undo. */
export function waitsForRecovery(place: Pick<TaskPlace, "taskDir">, ports: Pick<PassPorts, "env" | "home">): boolean {
  const folder = anchorFolder(place.taskDir, ports);
  return readCurrent(folder) !== null || readCommit(folder) !== null;
}
