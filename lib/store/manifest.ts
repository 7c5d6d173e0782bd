import { readlinkSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { errorCode, storeError } from "./error-code.ts";
import { lookAt } from "./folder.ts";
import { type HashedFile, hashFile } from "./hash-file.ts";
import type { ManifestEntry } from "./manifest-shape.ts";
import { joinBytes, pathBytes, pathKey } from "./path-key.ts";
import { createStatCache } from "./stat-cache.ts";
import { listFolder } from "./walk.ts";

export interface ManifestOptions {
  skip(path: string): boolean;
  /**
   * True for files that are not read again as long as this process sees that nothing about them changed: device,
   * inode, mode, size, and both times, of which nobody but the kernel sets the second. Missing: all are read.
   */
  readonly remembers?: (path: string) => boolean;
}

// Each pass looks several times at all other tasks of its root.
const filesSeen = createStatCache<ManifestEntry | null>();

/**
 * What is at the roots and under them now, nothing followed and nothing opened but regular files. A blocked root
 * counts as missing.
 */
export function scanRoots(
  roots: readonly string[],
  options: ManifestOptions,
  isBlocked: (root: string) => boolean,
): Map<string, ManifestEntry> {
  const entries = new Map<string, ManifestEntry>();
  const open = roots.filter((root) => !isBlocked(root)).map(pathBytes);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const key = pathKey(path);
    if (entries.has(key) || options.skip(key)) continue;
    const isRemembered = options.remembers?.(key) === true && !key.startsWith("//");
    const entry = isRemembered ? filesSeen(key, () => describeEntry(path)) : describeEntry(path);
    if (entry === null) continue;
    entries.set(key, entry);
    if (entry.type === "folder") open.push(...childrenOf(path));
  }
  return entries;
}

/** The entry at one path; null if there is none. */
export function describeEntry(path: Buffer): ManifestEntry | null {
  for (;;) {
    const stats = lookAt(path);
    if (stats === null) return null;
    if (!stats.isFile()) return describeOther(path, stats);
    const hashed = hashFile(path);
    if (hashed.kind === "file") {
      const { sha256, size } = hashed;
      return { type: "file", mode: hashed.stats.mode & 0o7777, sha256, size };
    }
    if (hashed.kind === "unreadable") return describeUnreadable(path, stats, hashed);
    // It became something else between the look and the read: look again.
  }
}

/** The folders and links above the roots: whoever replaces one of them replaces all that is below. */
export function describePassages(roots: readonly string[]): Map<string, ManifestEntry> {
  const passages = new Map<string, ManifestEntry>();
  for (const key of roots.flatMap(ancestorsOf)) {
    if (passages.has(key)) continue;
    const entry = passageAt(key);
    if (entry !== null) passages.set(key, entry);
  }
  return passages;
}

/** The paths above a root, files included: a file may have taken the place of a folder. */
export function passageAt(key: string): ManifestEntry | null {
  const stats = lookAt(pathBytes(key));
  if (stats === null) return null;
  if (stats.isFile()) return { type: "file", mode: stats.mode & 0o7777, passage: true };
  return { ...describeOther(pathBytes(key), stats), passage: true };
}

/** From the top down, without the root of the file system. */
export function ancestorsOf(key: string): string[] {
  const above: string[] = [];
  // A key that is not UTF-8 is escaped, and its slashes are slashes still.
  const [prefix, path] = key.startsWith("//") ? ["//", key.slice(2)] : ["", key];
  for (let at = dirname(path); at !== "/" && at !== "."; at = dirname(at)) above.push(pathKey(pathBytes(prefix + at)));
  return above.reverse();
}

export function sameEntry(left: ManifestEntry | null, right: ManifestEntry | null): boolean {
  if (left === null || right === null) return left === right;
  return sameKind(left, right) && left.mode === right.mode && left.sha256 === right.sha256;
}

/** The same as far as it matters for what is below. */
export function sameKind(left: ManifestEntry, right: ManifestEntry): boolean {
  return left.type === right.type && left.target === right.target;
}

function describeOther(path: Buffer, stats: Stats): ManifestEntry {
  if (stats.isSymbolicLink()) {
    return { type: "link", mode: 0, target: pathKey(readlinkSync(path, { encoding: "buffer" })) };
  }
  return { type: stats.isDirectory() ? "folder" : "special", mode: stats.mode & 0o7777 };
}

function describeUnreadable(
  path: Buffer,
  stats: Stats,
  hashed: Extract<HashedFile, { kind: "unreadable" }>,
): ManifestEntry {
  if (hashed.code !== "EACCES" && hashed.code !== "EPERM") throw storeError("read", pathKey(path), hashed);
  return { type: "file", mode: stats.mode & 0o7777 };
}

export function childrenOf(folder: Buffer): Buffer[] {
  try {
    return listFolder(folder).map((entry) => joinBytes(folder, entry.name));
  } catch (error) {
    // A folder that may not be read has no contents to anybody; its changed mode is a change of its own.
    if (errorCode(error) === "EACCES" || errorCode(error) === "EPERM") return [];
    throw storeError("read", pathKey(folder), error);
  }
}
