import { readlinkSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";
import { about, recordOf, type Shape } from "../text/shape.ts";
import { createStatCache } from "./cache-file.ts";
import { errorCode, storeError } from "./error-code.ts";
import { statEntry } from "./folder.ts";
import { type HashedFile, hashLooked } from "./hash-file.ts";
import { joinBytes, pathBytes, pathKey } from "./path-key.ts";
import { listFolder } from "./walk.ts";

export const manifestEntryShape = v.object({
  type: v.picklist(["file", "folder", "link", "special"]),
  mode: about(v.number(), "permission bits; 0 for links, which have none of their own"),
  sha256: v.exactOptional(about(v.string(), "of a file; missing if it may not be read")),
  size: v.exactOptional(v.number()),
  at: v.exactOptional(
    about(v.string(), "where in the packs its bytes are; missing if they are a file by their digest"),
  ),
  target: v.exactOptional(about(v.string(), "of a link, as `pathKey` writes it")),
  passage: v.exactOptional(
    about(v.literal(true), "above a root: only what it is counts, not its mode, and it may have other contents"),
  ),
});

export const manifestShape = v.object({ roots: v.array(v.string()), entries: recordOf(manifestEntryShape) });

export type ManifestEntry = Shape<typeof manifestEntryShape>;
export type Manifest = Shape<typeof manifestShape>;

export interface ManifestOptions {
  skip(path: string): boolean;
  /** Files to reread only if device, inode, mode, size, mtime or ctime changed; absent: all are read. */
  readonly remembers?: (path: string) => boolean;
}

// A pass looks several times at all other tasks of its root.
const filesSeen = createStatCache<ManifestEntry | null>();

/** Follows nothing and opens only regular files. A blocked root counts as missing. */
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
    const entry = isRemembered ? filesSeen(key, () => readEntry(path)) : readEntry(path);
    if (entry === null) continue;
    entries.set(key, entry);
    if (entry.type === "folder") open.push(...childrenOf(path));
  }
  return entries;
}

/** `looked`: a fresh `lstat`. */
export function readEntry(path: Buffer, looked: Stats | null = statEntry(path)): ManifestEntry | null {
  for (let stats = looked; stats !== null; stats = statEntry(path)) {
    if (!stats.isFile()) return makeOther(path, stats);
    const hashed = hashLooked(path, stats);
    if (hashed.kind === "file") {
      const { sha256, size } = hashed;
      return { type: "file", mode: hashed.stats.mode & 0o7777, sha256, size };
    }
    if (hashed.kind === "unreadable") return makeUnreadable(path, stats, hashed);
    // It changed kind between look and read: look again.
  }
  return null;
}

const triesPerFile = 5;

/** The result of `keep` for an entry whose bytes it copied; null from it: the file changed, and is read again. */
export function keepAsRead(
  key: string,
  seen: ManifestEntry,
  keep: (entry: ManifestEntry, sha256: string) => ManifestEntry | null,
): ManifestEntry {
  let entry: ManifestEntry | null = seen;
  for (let tries = 0; tries < triesPerFile; tries += 1) {
    if (entry?.sha256 === undefined) return entry ?? seen;
    const kept = keep(entry, entry.sha256);
    if (kept !== null) return kept;
    entry = readEntry(pathBytes(key));
  }
  throw storeError("copy", key, new Error("it changes while it is being read"));
}

/** Folders and links above the roots: replacing one replaces all below. */
export function readPassages(roots: readonly string[]): Map<string, ManifestEntry> {
  const passages = new Map<string, ManifestEntry>();
  for (const key of roots.flatMap(ancestorsOf)) {
    if (passages.has(key)) continue;
    const entry = passageAt(key);
    if (entry !== null) passages.set(key, entry);
  }
  return passages;
}

/** A path above a root; it may be a file in place of a folder. */
export function passageAt(key: string): ManifestEntry | null {
  const stats = statEntry(pathBytes(key));
  if (stats === null) return null;
  if (stats.isFile()) return { type: "file", mode: stats.mode & 0o7777, passage: true };
  return { ...makeOther(pathBytes(key), stats), passage: true };
}

/** From the top down, without `/`. */
export function ancestorsOf(key: string): string[] {
  const above: string[] = [];
  // Slashes stay slashes in an escaped key.
  const [prefix, path] = key.startsWith("//") ? ["//", key.slice(2)] : ["", key];
  for (let at = dirname(path); at !== "/" && at !== "."; at = dirname(at)) above.push(pathKey(pathBytes(prefix + at)));
  return above.reverse();
}

export function sameEntry(left: ManifestEntry | null, right: ManifestEntry | null): boolean {
  if (left === null || right === null) return left === right;
  return sameKind(left, right) && left.mode === right.mode && left.sha256 === right.sha256;
}

/** Equal as far as it matters below. */
export function sameKind(left: ManifestEntry, right: ManifestEntry): boolean {
  return left.type === right.type && left.target === right.target;
}

function makeOther(path: Buffer, stats: Stats): ManifestEntry {
  if (stats.isSymbolicLink()) {
    return { type: "link", mode: 0, target: pathKey(readlinkSync(path, { encoding: "buffer" })) };
  }
  return { type: stats.isDirectory() ? "folder" : "special", mode: stats.mode & 0o7777 };
}

function makeUnreadable(
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
    // A folder without read permission has no contents; its changed mode is reported itself.
    if (errorCode(error) === "EACCES" || errorCode(error) === "EPERM") return [];
    throw storeError("read", pathKey(folder), error);
  }
}
