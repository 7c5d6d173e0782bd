import { chmodSync, readdirSync, rmSync, type Stats, utimesSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { diskError } from "../text/errors.ts";
import { storeError, storing } from "./error-code.ts";
import { type FolderSyncs, makeFolder, statEntry } from "./folder.ts";
import { tryLock } from "./lock.ts";
import { isDebris } from "./temporary-file.ts";

/** `$XDG_STATE_HOME/task-phase` if that is absolute, by the XDG specification; else `~/.local/state/task-phase`. */
export function stateHome(env: NodeJS.ProcessEnv, home: string): string {
  const base = env.XDG_STATE_HOME;
  return join(base !== undefined && isAbsolute(base) ? base : join(home, ".local", "state"), "task-phase");
}

/** `$XDG_CACHE_HOME/task-phase`, else `~/.cache/task-phase`. XDG: a relative value does not count. */
export function cacheHome(env: NodeJS.ProcessEnv, home: string): string {
  const base = env.XDG_CACHE_HOME;
  return join(base !== undefined && isAbsolute(base) ? base : join(home, ".cache"), "task-phase");
}

/**
 * Makes the folder and missing ones above for this user alone (mode 0700), or tightens its rights. Durable with
 * `syncs`, or at once without. Throws TP_STATE_HOME for a link, a file or another user's folder.
 */
export function openPrivateFolder(path: string, syncs: FolderSyncs | null = null): void {
  const before = statOrThrow(path);
  if (before === null) makeFolder(path, 0o700, syncs);
  const stats = before ?? statOrThrow(path);
  if (stats === null) throw storeError("make the folder", path, new Error("it disappeared immediately"));
  if (!stats.isDirectory()) {
    throw refuse(path, stats.isSymbolicLink() ? "there is a link" : "it is not a folder");
  }
  const user = process.geteuid?.();
  if (user !== undefined && stats.uid !== user) throw refuse(path, `it belongs to user ${stats.uid}, not to ${user}`);
  if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

function statOrThrow(path: string): Stats | null {
  return storing("look at", path, () => statEntry(path));
}

function refuse(path: string, why: string): Error {
  const message = `expected a private folder of this user at ${path}, but ${why}`;
  return diskError("TP_STATE_HOME", message, {
    file: path,
    fix: "move it away, or set XDG_STATE_HOME to another folder",
  });
}

/** No write takes this long, even across sleep: what is older is a killed run's. */
const staleMs = 24 * 60 * 60 * 1000;

/** Once a day, removes old temporary files of killed runs; `also` runs afterwards. */
export function sweepState(home: string, also: () => void = () => undefined): void {
  const path = join(home, "sweep.lock");
  const lock = tryLock(path);
  if (lock === null) return;
  try {
    // Touched by the last sweep, or created just now.
    const sweptAt = statEntry(path)?.mtimeMs ?? 0;
    if (Date.now() - sweptAt < staleMs) return;
    for (const folder of listWritten(home)) sweepFolder(folder);
    also();
    utimesSync(path, new Date(), new Date());
  } finally {
    lock.release();
  }
}

function listWritten(home: string): string[] {
  const [tasks, roots, trees] = ["tasks", "roots", "trees"].map((name) => listFolders(join(home, name)));
  return [
    ...[home, ...["repos", "copies", "lists", "seen", "trusted", "remotes"].map((name) => join(home, name))],
    ...(tasks ?? []).flatMap(listWrittenOf),
    ...(roots ?? []).flatMap((root) => [
      root,
      ...listFolders(join(root, "loops")),
      ...["changelog", "runs"].map((name) => join(root, name)),
    ]),
    ...(trees ?? []),
  ];
}

/** Folders that only the holder of the task's lock writes in. */
export function listWrittenOf(task: string): string[] {
  return [
    task,
    join(task, "staging"),
    join(task, "copies", "blobs"),
    join(task, "origin"),
    join(task, "runner", "blobs"),
  ];
}

function listFolders(path: string): string[] {
  return namesIn(path).map((name) => join(path, name));
}

/** Removes this user's half-written files of killed runs that are a day old. */
export function sweepFolder(folder: string): void {
  for (const path of namesIn(folder)
    .filter(isDebris)
    .map((name) => join(folder, name))) {
    const stats = statEntry(path);
    const own = stats?.isFile() === true && stats.uid === (process.geteuid?.() ?? stats.uid);
    if (own && Date.now() - stats.mtimeMs > staleMs) rmSync(path, { force: true });
  }
}

/** Does not follow a link; empty without a folder. */
export function namesIn(folder: string): string[] {
  return statEntry(folder)?.isDirectory() === true ? readdirSync(folder) : [];
}
