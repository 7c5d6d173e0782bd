import { basename, dirname, join } from "node:path";
import { loadConfig } from "../documents/config/load-config.ts";
import { dropOlder } from "../git/give-objects.ts";
import { findGitPlace, type GitPlace } from "../git/place.ts";
import { listTaskBranches, readRefs } from "../git/task-branches.ts";
import { readView } from "../queue/views/root-view.ts";
import { removeAll, statEntry } from "../store/folder.ts";
import { tryLock } from "../store/lock.ts";
import { readRegularFile } from "../store/read-file.ts";
import { cacheHome, namesIn, openPrivateFolder } from "../store/state-home.ts";
import { isDone, listTasks } from "../task/list-tasks.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { placeIn, stands } from "../task/records/task-place.ts";
import { taskLockPath } from "../task/task-lock.ts";
import { dropCarried } from "./carry-dependencies.ts";
import { readNote, removeNote } from "./claim-note.ts";
import { type ClaimPlace, claimPlace } from "./claim-place.ts";
import { alternatesOf, forgetPass, giveKept } from "./clone.ts";
import { patternOf } from "./local-work.ts";
import { dropFiles } from "./saved-files.ts";
import { dropView } from "./view-clone.ts";

/**
 * Removes the working trees that calls which were killed left in the cache folder for tasks of this repository that are
 * done or gone; what such a call put on a branch, and a clean-up took, is given back. Nothing but a repository that
 * borrows the objects of this one is touched, and none whose task is locked or whose branch is owed a commit from it.
 */
export async function sweepClones(tasksRoot: string, configFlag: string | null, ports: PassPorts): Promise<void> {
  const tree = findGitPlace(tasksRoot);
  if (tree === null) return;
  const placeOf = (id: string) => claimPlace(cacheHome(ports.env, ports.home), tree.commonDir, id);
  const ids = listLeft(placeOf("any"));
  if (ids.length === 0) return;
  for (const place of ids.map(placeOf))
    for (const objects of [place.objects, place.landed]) {
      giveKept(objects, tree);
      dropOld(objects, place, ports);
    }
  const fateOf = await readFates(tree, tasksRoot, configFlag, ports);
  for (const id of ids) {
    const { isOver, hasBranch, folder } = fateOf(id);
    if (isOver) await sweep(placeOf(id), { tree, hasBranch, taskLock: lockOf(tasksRoot, folder) }, ports);
  }
}

/** The names there are those of tasks. */
function listLeft({ clone, view, land, landed, carried, files, scratch }: ClaimPlace): string[] {
  const besides = (path: string) => namesIn(dirname(path));
  const worked = besides(scratch).flatMap((name) => /^(.+)\.(?:git-work|objects)$/.exec(name)?.[1] ?? []);
  return [...new Set([...[clone, view, land, landed, carried, files].flatMap(besides), ...worked])];
}

/** No `git prune` runs for as long as that. */
const longestPruneMs = 86_400_000;

function dropOld(objects: string, place: ClaimPlace, { now }: PassPorts): void {
  if (!stands(objects)) return;
  openPrivateFolder(dirname(place.lock));
  const lock = tryLock(place.lock);
  // A commit that is owed is nowhere else.
  if (lock !== null && readNote(place.note) === null) dropOlder(objects, new Date(now().getTime() - longestPruneMs));
  lock?.release();
}

/**
 * What a task came to, by its id. `isOver`: it is done, or neither a folder nor a branch is left of it. `hasBranch`: it
 * is newer on its branch, which people read in the view. `folder`: the name of its folder; null: it has none.
 */
async function readFates(tree: GitPlace, tasksRoot: string, configFlag: string | null, ports: PassPorts) {
  const config = loadConfig({ ...ports, configFlag, taskDir: join(tasksRoot, "any") });
  const branches = listTaskBranches(await readRefs(tree, ports.env), patternOf(config));
  const ahead = new Map(
    [...(await readView(tasksRoot, configFlag, ports))].map(([name, task]) => [task.id, { name, task }]),
  );
  const here = new Map(listTasks(tasksRoot).map(({ id, folder }) => [id, folder]));
  return (id: string) => {
    const there = ahead.get(id);
    if (there !== undefined) {
      const { row } = there.task;
      return { isOver: row.kind === "read" && row.files.phase === "done", hasBranch: true, folder: there.name };
    }
    const folder = here.get(id);
    if (folder !== undefined) return { isOver: isDone(folder), hasBranch: false, folder: basename(folder) };
    // Another tasks root of the repository may have it.
    return { isOver: !branches.some((branch) => branch.id === id), hasBranch: false, folder: null };
  };
}

/** Null where no call can hold the task, since nothing has a lock there. */
function lockOf(tasksRoot: string, folder: string | null): string | null {
  const path = folder === null ? null : taskLockPath(placeIn(tasksRoot, folder));
  return path !== null && stands(dirname(path)) ? path : null;
}

async function sweep(
  place: ClaimPlace,
  { tree, hasBranch, taskLock }: { tree: GitPlace; hasBranch: boolean; taskLock: string | null },
  ports: PassPorts,
): Promise<void> {
  openPrivateFolder(dirname(place.lock));
  const lock = tryLock(place.lock);
  const held = taskLock === null ? null : tryLock(taskLock);
  try {
    if (lock === null || (taskLock !== null && held === null)) return;
    const note = readNote(place.note);
    if (note !== null && note.commit !== null && note.commit !== note.tip) return;
    const trees = [place.clone, place.land].filter((folder) => isOurs(folder, tree));
    if (note !== null && trees.includes(place.clone)) {
      await forgetPass(note.task_dir, ports);
      removeNote(place.note);
    }
    dropCarried(place);
    dropFiles(place);
    for (const folder of [...trees, place.scratch]) removeAll(folder);
    if (!hasBranch && isOurs(place.view, tree)) dropView(place);
  } finally {
    held?.release();
    lock?.release();
  }
}

const longestLine = 16_384;

function isOurs(folder: string, tree: GitPlace): boolean {
  if (statEntry(folder)?.isDirectory() !== true) return false;
  const read = readRegularFile(join(folder, ".git", "objects", "info", "alternates"), longestLine);
  return read.kind === "file" && read.bytes.toString("utf8").startsWith(alternatesOf(tree));
}
