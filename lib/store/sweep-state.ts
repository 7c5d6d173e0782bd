import { readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { lookAt } from "./folder.ts";
import { tryLock } from "./lock.ts";
import { isDebris } from "./temporary-file.ts";

/** No write lasts that long, also on a machine that slept: what is older was left by a run that was killed. */
const staleMs = 24 * 60 * 60 * 1000;

/**
 * Removes the temporary files that killed runs left in the runner's state folder, also beside tasks that nobody runs
 * any more: once a day, by whoever comes first, and not by two at once. Only regular files of this user that have the
 * name of one and are old. `also` is done with it.
 */
export function sweepState(home: string, also: () => void = () => undefined): void {
  const path = join(home, "sweep.lock");
  const lock = tryLock(path);
  if (lock === null) return;
  try {
    // The file was touched by the last sweep, or made just now.
    const sweptAt = lookAt(path)?.mtimeMs ?? 0;
    if (Date.now() - sweptAt < staleMs) return;
    for (const folder of listWritten(home)) sweepFolder(folder);
    also();
    utimesSync(path, new Date(), new Date());
  } finally {
    lock.release();
  }
}

/** Every folder that a run writes files in. */
function listWritten(home: string): string[] {
  const [tasks, roots, trees] = ["tasks", "roots", "trees"].map((name) => listFolders(join(home, name)));
  return [
    ...[home, ...["repos", "copies", "lists", "seen", "trusted", "remotes"].map((name) => join(home, name))],
    ...(tasks ?? []).flatMap(listWrittenOf),
    ...(roots ?? []).flatMap((root) => [root, join(root, "changelog"), join(root, "runs")]),
    ...(trees ?? []),
  ];
}

/** Those of one task, in its own folder, where only the holder of its lock writes. */
export function listWrittenOf(task: string): string[] {
  return [
    task,
    join(task, "spool"),
    join(task, "copies", "blobs"),
    join(task, "origin"),
    join(task, "runner", "blobs"),
  ];
}

function listFolders(path: string): string[] {
  return namesIn(path).map((name) => join(path, name));
}

function sweepFolder(folder: string): void {
  for (const path of namesIn(folder)
    .filter(isDebris)
    .map((name) => join(folder, name))) {
    const stats = lookAt(path);
    const own = stats?.isFile() === true && stats.uid === (process.geteuid?.() ?? stats.uid);
    if (own && Date.now() - stats.mtimeMs > staleMs) rmSync(path, { force: true });
  }
}

/** Nothing if there is no folder: a link is not followed. */
function namesIn(folder: string): string[] {
  return lookAt(folder)?.isDirectory() === true ? readdirSync(folder) : [];
}
