import { chmodSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Redactor } from "../text/redact.ts";
import { sha256 as digestOf } from "../text/sha256.ts";
import { openBlobPool } from "./blob-pool.ts";
import { compareManifest, type PathChange } from "./compare-manifest.ts";
import { storeError } from "./error-code.ts";
import { makeFolder, removeAll, statEntry } from "./folder.ts";
import {
  ancestorsOf,
  keepAsRead,
  type Manifest,
  type ManifestEntry,
  type ManifestOptions,
  readEntry,
  readPassages,
  sameEntry,
  scanRoots,
} from "./manifest.ts";
import type { Packs } from "./packs.ts";
import { pathBytes } from "./path-key.ts";
import { readRegularFile } from "./read-file.ts";
import { inWritableFolder, makeEntry, parentFolder, removeEntry, saveTree } from "./replace-entry.ts";
import { copyFile } from "./temporary-file.ts";
import { listFolder } from "./walk.ts";

export type { Manifest, ManifestEntry } from "./manifest.ts";

export interface SnapshotStore {
  /** Records these absolute paths and all below, with each file's bytes. A root may be missing. */
  record(roots: readonly string[], options: ManifestOptions): Manifest;
  /** Current differences, parents first, with entries added under a root and folders above that became links. */
  compare(manifest: Manifest, options: ManifestOptions): PathChange[];
  /**
   * Restores bytes and mode, or removes what was added. Call it in the order of `compare`, then compare again: an
   * unreadable folder hides its contents. First keeps the present entry at `keepAt`, unless null. Throws if a link is
   * above.
   */
  restore(change: PathChange, keepAt: string | null): void;
  /** Null if missing or damaged. */
  readBlob(sha256: string): Buffer | null;
  readCopy(entry: ManifestEntry): Buffer | null;
  /** Removes all other copies. */
  prune(needed: Iterable<ManifestEntry>): void;
}

const longestBlob = 1 << 30;

/** Copies by content under `folder`, which can be reopened. Methods throw TP_DISK. */
export function openSnapshotStore(
  folder: string,
  options: {
    readonly redactor?: Redactor;
    /** A private folder where stores share files by hard links. */
    readonly pool?: string;
    /** Holds the copies of entries that name a pack. */
    readonly packs?: Packs;
  } = {},
): SnapshotStore {
  const blobs = join(folder, "blobs");
  const pool = options.pool === undefined ? null : openBlobPool(options.pool, blobs);
  const blobPath = (sha256: string): string => join(blobs, sha256);
  /** Links above the roots at recording time, such as macOS's /tmp. */
  const passableLinks = new Set<string>();

  function learnLinks(manifest: Manifest): void {
    for (const [path, entry] of Object.entries(manifest.entries)) {
      if (entry.passage === true && entry.type === "link") passableLinks.add(path);
    }
  }

  function record(roots: readonly string[], given: ManifestOptions): Manifest {
    makeFolder(blobs, 0o700);
    pool?.open();
    const known = roots.map((root) => (root.startsWith("//") ? root : resolve(root)));
    const entries = new Map([...readPassages(known), ...scanRoots(known, given, () => false)]);
    for (const [key, entry] of entries) {
      if (entry.type === "file")
        entries.set(
          key,
          keepAsRead(key, entry, (read, sha256) => storeBlob(key, read, sha256)),
        );
    }
    pool?.sync();
    const manifest = { roots: known, entries: Object.fromEntries(entries) };
    learnLinks(manifest);
    return manifest;
  }

  function storeBlob(key: string, entry: ManifestEntry, sha256: string): ManifestEntry | null {
    const there = statEntry(blobPath(sha256));
    if (there?.isFile() === true && there.size === entry.size) return entry;
    if (pool?.take(sha256, entry.size) === true) return entry;
    if (!copyFile(pathBytes(key), Buffer.from(blobPath(sha256)), { sha256, mode: 0o600 })) return null;
    pool?.give(sha256);
    return entry;
  }

  function compare(manifest: Manifest, given: ManifestOptions): PathChange[] {
    learnLinks(manifest);
    return compareManifest(manifest, given);
  }

  function restore(change: PathChange, keepAt: string | null): void {
    const path = pathBytes(change.path);
    try {
      if (!openWay(change)) return;
      const now = readEntry(path);
      const { was } = change;
      if (sameEntry(was, now)) return;
      if (was !== null && was.type === now?.type && (was.type === "folder" || was.type === "special")) {
        if (was.passage !== true) chmodSync(path, was.mode);
        return;
      }
      if (now !== null && keepAt !== null) saveTree(path, keepAt, options.redactor ?? null);
      inWritableFolder(parentFolder(path), () => replace(path, was, now));
    } catch (error) {
      throw storeError("restore", change.path, error);
    }
  }

  function replace(path: Buffer, was: ManifestEntry | null, now: ManifestEntry | null): void {
    if (now !== null && !(was?.type === "file" && now.type === "file")) removeEntry(path);
    if (was?.type === "file" && was.sha256 !== undefined) {
      if (copyOut(was, was.sha256, path)) return;
      throw new Error(`the copy ${was.sha256} is gone or damaged`);
    }
    if (was !== null) makeEntry(path, was);
  }

  function copyOut({ at, size = 0, mode }: ManifestEntry, sha256: string, to: Buffer): boolean {
    if (at !== undefined) return options.packs?.copyOut(at, to, { sha256, size, mode }) === true;
    return copyFile(Buffer.from(blobPath(sha256)), to, { sha256, mode });
  }

  function readBlob(sha256: string): Buffer | null {
    const read = readRegularFile(blobPath(sha256), longestBlob);
    return read.kind === "file" && digestOf(read.bytes) === sha256 ? read.bytes : null;
  }

  /** False if nothing can or need be at the path: a folder above is gone or of another kind. */
  function openWay({ path, was }: PathChange): boolean {
    for (const above of ancestorsOf(path)) {
      const stats = statEntry(pathBytes(above));
      if (stats?.isDirectory() === true || (stats?.isSymbolicLink() === true && passableLinks.has(above))) continue;
      if (was === null) return false;
      if (stats !== null) throw new Error(`${above} is no longer a folder; restore that first`);
      inWritableFolder(parentFolder(pathBytes(above)), () => {
        makeEntry(pathBytes(above), { type: "folder", mode: 0o755 });
      });
    }
    return true;
  }

  return {
    record,
    compare,
    restore,
    readBlob,
    readCopy({ sha256, at, size = 0 }) {
      if (sha256 === undefined) return null;
      if (at === undefined) return readBlob(sha256);
      const bytes = size > longestBlob ? null : (options.packs?.read(at, size) ?? null);
      return bytes !== null && digestOf(bytes) === sha256 ? bytes : null;
    },
    prune(needed) {
      const keep = new Set([...needed].map((entry) => entry.sha256));
      const names = listFolder(Buffer.from(blobs)).map(({ name }) => name.toString("latin1"));
      for (const name of names) {
        if (keep.has(name)) continue;
        removeAll(blobPath(name));
        pool?.drop(name);
      }
    },
  };
}
