import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { relative, resolve } from "node:path";
import { inTemporaryFolder } from "../process/temporary-folder.ts";
import { errorCode, lookOr, storeError } from "../store/error-code.ts";
import { hashFile, hashLooked } from "../store/hash-file.ts";
import { pathKey } from "../store/path-key.ts";
import { sha256 } from "../text/sha256.ts";
import { type Fingerprint, fromEntries } from "./fingerprint-entries.ts";
import type { RepoPath } from "./list-names.ts";
import { pathIn, visitRepo } from "./list-paths.ts";
import { createSeenFiles, type SeenFiles, type SeenRows } from "./seen-files.ts";
import { holdsAbove } from "./stage.ts";

let newest: { folder: string; seen: SeenFiles; fingerprint: Fingerprint | null } | null = null;

/** The files that this process last saw in a folder, a real path; null if it saw another repo since. */
export function seenIn(folder: string): SeenFiles | null {
  return newest?.folder === folder ? newest.seen : null;
}

/** Starts from another process's `seenIn`; used only for fingerprints by stats. */
export function beginWith(folder: string, rows: SeenRows): void {
  newest = { folder, seen: createSeenFiles(folder, rows), fingerprint: null };
}

/**
 * The repo as read from disk: tracked paths and untracked ones that are not ignored, with type, executable bit, content
 * or link text, and the ignore rules that no listed file holds. Git's memory of files (index, stat cache,
 * assume-unchanged, skip-worktree) plays no part, so adding and committing change nothing. `exclude` names absolute
 * folders. With `by` "stats", a known file with unchanged stats is not read again. Throws TP_GIT and TP_DISK.
 */
export async function takeFingerprint(
  repo: string,
  exclude: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  by: "contents" | "stats" = "contents",
): Promise<Fingerprint> {
  const folder = realpathSync(repo);
  const [isOut, isTemporary] = [outsideOf(folder, exclude), ownTemporaryIn(folder)];
  const { seen, fingerprint: last } =
    newest?.folder === folder ? newest : { seen: createSeenFiles(folder), fingerprint: null };
  const entries = new Map<string, string>();
  const rules = await visitRepo(
    repo,
    (path, stats) => {
      if (isOut(path) || isTemporary(path)) return;
      const known = by === "stats" && stats != null ? seen.recall(path.key, stats) : undefined;
      const entry =
        known ?? entryOf(pathIn(folder, path), stats, (read, before) => seen.record(path.key, read, before));
      if (entry !== null) entries.set(path.key, entry);
    },
    env,
  );
  for (const [name, digest] of rules) entries.set(name, digest);
  const fingerprint = last !== null && isEqual(last.entries, entries) ? last : fromEntries(entries);
  newest = { folder, seen, fingerprint };
  return fingerprint;
}

function isEqual(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) if (right.get(key) !== value) return false;
  return true;
}

/** Null if it is gone. Only the executable bit of the mode counts. `onRead` gets the stats from before reading. */
function entryOf(
  path: string | Buffer,
  looked: Stats | null | undefined,
  onRead: (entry: string, before: Stats) => void,
): string | null {
  if (looked === null) return null;
  const hashed = looked === undefined ? hashFile(path) : hashLooked(path, looked);
  switch (hashed.kind) {
    case "file": {
      const entry = `file ${(hashed.stats.mode & 0o100) === 0 ? "644" : "755"} ${hashed.sha256}`;
      onRead(entry, hashed.stats);
      return entry;
    }
    case "missing":
      return null;
    case "link":
      return linkEntry(path);
    case "special":
      return `special ${kindOf(path)} -`;
    case "folder":
      return "folder - -";
    case "unreadable":
      return unreadableEntry(path, hashed.code);
  }
}

function linkEntry(path: string | Buffer): string | null {
  try {
    return `link - ${sha256(readlinkSync(path, { encoding: "buffer" }))}`;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw storeError("read the link", nameOf(path), error);
  }
}

/** A missing permission is a fact about the file; anything else is a failing disk. */
function unreadableEntry(path: string | Buffer, code: string): string {
  if (code === "EACCES" || code === "EPERM") return `unreadable ${kindOf(path)} -`;
  throw storeError("read", nameOf(path), Object.assign(new Error(code), { code }));
}

function kindOf(path: string | Buffer): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "gone";
  return ((stats.mode & 0o170000) >> 12).toString(8);
}

function nameOf(path: string | Buffer): string {
  return typeof path === "string" ? path : pathKey(path);
}

function outsideOf(root: string, folders: readonly string[]): (path: RepoPath) => boolean {
  const all = [...new Set(folders.flatMap((folder) => [resolve(folder), realOf(folder)]))];
  if (all.some((folder) => isIn(root, folder))) return () => true;
  const inside = all.filter((folder) => isIn(folder, root)).map((folder) => folder.slice(root.length + 1));
  if (inside.length === 0) return () => false;
  const [keys, bytes] = [new Set(inside), new Set(inside.map((folder) => Buffer.from(folder).toString("latin1")))];
  return ({ path, key }) => (key.startsWith("//") ? holdsAbove(bytes, path.toString("latin1")) : holdsAbove(keys, key));
}

/** Files in the runner's own temporary folders, which come and go, if `TMPDIR` is in the repo. */
function ownTemporaryIn(root: string): (path: RepoPath) => boolean {
  const parent = realOf(tmpdir());
  if (!isIn(parent, root)) return () => false;
  const prefix = parent === root ? "" : `${relative(root, parent)}/`;
  return ({ key }) => key.startsWith(prefix) && inTemporaryFolder.test(key.slice(prefix.length));
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
}

function realOf(folder: string): string {
  return lookOr(() => realpathSync(folder), resolve(folder));
}
