import { chmodSync, type Stats } from "node:fs";
import { isAbsolute, join } from "node:path";
import { diskError } from "../report/errors.ts";
import { storeError } from "./error-code.ts";
import { type FolderSyncs, lookAt, makeFolder } from "./folder.ts";

/**
 * Where the runner keeps its own copies: `$XDG_STATE_HOME/task-phase`, or `~/.local/state/task-phase`. As the XDG
 * base directory specification asks, a relative value does not count.
 */
export function stateHome(env: NodeJS.ProcessEnv, home: string): string {
  const base = env.XDG_STATE_HOME;
  return join(base !== undefined && isAbsolute(base) ? base : join(home, ".local", "state"), "task-phase");
}

/**
 * Makes the folder, and those above it that are missing, for this user alone (mode 0700), and takes rights of others
 * away if it was there before. Durable once `syncs` are made, or at once without them. Throws TP_STATE_HOME if a link, a file or another user's folder is there.
 */
export function openPrivateFolder(path: string, syncs: FolderSyncs | null = null): void {
  const before = lookSafely(path);
  if (before === null) makeFolder(path, 0o700, syncs);
  const stats = before ?? lookSafely(path);
  if (stats === null) throw storeError("make the folder", path, new Error("it disappeared immediately"));
  if (!stats.isDirectory()) {
    throw refuse(path, stats.isSymbolicLink() ? "there is a link" : "it is not a folder");
  }
  const user = process.geteuid?.();
  if (user !== undefined && stats.uid !== user) throw refuse(path, `it belongs to user ${stats.uid}, not to ${user}`);
  if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

function lookSafely(path: string): Stats | null {
  try {
    return lookAt(path);
  } catch (error) {
    throw storeError("look at", path, error);
  }
}

function refuse(path: string, why: string): Error {
  const message = `expected a private folder of this user at ${path}, but ${why}`;
  return diskError("TP_STATE_HOME", message, {
    file: path,
    fix: "move it away, or set XDG_STATE_HOME to another folder",
  });
}
