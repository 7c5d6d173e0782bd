import { readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Anchor } from "../anchor/anchor.ts";
import type { Tamper } from "../machine/facts.ts";
import { passMachineFault } from "../store/error-code.ts";
import { lookAt } from "../store/folder.ts";
import { findMatching } from "../store/glob-paths.ts";
import { manifestEntryShape } from "../store/manifest-shape.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readJsonFile } from "../store/read-json.ts";
import type { ManifestEntry } from "../store/snapshot.ts";
import { sha256 } from "../text/sha256.ts";
import { recordOf } from "../text/shape.ts";

/**
 * The protected paths of the repo as they were at pass 1, or after a person's last edit of the brief. The journal
 * holds a digest of each; the anchor holds the bytes.
 */
export interface PinnedPaths {
  readonly repo: string;
  readonly globs: readonly string[];
  /** Repo path → digest of its entry. */
  readonly digests: Readonly<Record<string, string>>;
  /** Repo path → the entry itself; missing if this machine never pinned it. */
  readonly entries: Readonly<Record<string, ManifestEntry>>;
}

/** What the globs match now: its digests are for the journal. */
export function pinProtected(repo: string, globs: readonly string[]): PinnedPaths {
  const entries = readMatching(repo, globs);
  const digests = Object.fromEntries(Object.entries(entries).map(([path, entry]) => [path, digestOf(entry)]));
  return { repo, globs, digests, entries };
}

/** The pins that the journal names, with the entries that still are what they were. */
export function findPins(
  repo: string,
  globs: readonly string[],
  digests: Readonly<Record<string, string>>,
): PinnedPaths {
  return { repo, globs, digests, entries: withDigests(digests, [readMatching(repo, globs)]) };
}

/** The same pins with every entry whose bytes the anchor has, or takes now, so that a path can be restored. */
export function withBytes(pins: PinnedPaths, anchor: Anchor): PinnedPaths {
  const paths = Object.keys(pins.entries);
  const full = paths.map((path) => join(pins.repo, path));
  const recorded = anchor.store.record(full, { skip: () => false }).entries;
  const taken = Object.fromEntries(
    paths.flatMap((path, index) => {
      const entry = recorded[full[index] ?? ""];
      return entry === undefined ? [] : [[path, entry]];
    }),
  );
  // A link is all in its entry, and the anchor notes other rights of it.
  const bare = Object.fromEntries(Object.entries(pins.entries).filter(([, { type }]) => type !== "file"));
  return { ...pins, entries: withDigests(pins.digests, [readPins(anchor), taken, bare]) };
}

/** Of each path, the first entry that has its digest. */
function withDigests(
  digests: Readonly<Record<string, string>>,
  sources: readonly Readonly<Record<string, ManifestEntry>>[],
): Record<string, ManifestEntry> {
  return Object.fromEntries(
    Object.entries(digests).flatMap(([path, digest]) => {
      const entry = sources
        .map((entries) => entries[path])
        .find((one) => one !== undefined && digestOf(one) === digest);
      return entry === undefined ? [] : [[path, entry]];
    }),
  );
}

const mostPinBytes = 64 * 1024 * 1024;

/** Pins that cannot be read are as none: what still has the digest of the journal takes their place. */
function readPins(anchor: Anchor): Readonly<Record<string, ManifestEntry>> {
  const read = readJsonFile(join(anchor.folder, "pins.json"), recordOf(manifestEntryShape), mostPinBytes);
  return read.kind === "read" ? read.value : {};
}

/**
 * Keeps the entries, so that a later pass can put a path back. Those that are there already have their bytes on the
 * disk, and the next record of the anchor makes their name durable, if a killed run did not.
 */
export function storePins(pins: PinnedPaths, anchor: Anchor): void {
  const path = join(anchor.folder, "pins.json");
  const text = JSON.stringify(pins.entries);
  const there = readRegularFile(path, mostPinBytes);
  if (there.kind === "file" && there.bytes.equals(Buffer.from(text))) return;
  putFile(path, text, { mode: 0o600 });
}

export interface PinDifference {
  readonly path: string;
  readonly change: Tamper["change"];
  readonly now: ManifestEntry | null;
}

/** The protected paths that differ from their pins. */
export function differsFromPins(pins: PinnedPaths): PinDifference[] {
  const now = readMatching(pins.repo, pins.globs);
  for (const path of Object.keys(pins.digests)) {
    if (now[path] === undefined) Object.assign(now, readEntries(pins.repo, [path]));
  }
  const paths = [...new Set([...Object.keys(pins.digests), ...Object.keys(now)])].sort();
  return paths.flatMap((path): PinDifference[] => {
    const entry = now[path] ?? null;
    const pinned = pins.digests[path];
    if (pinned === undefined) return [{ path, change: "added", now: entry }];
    if (entry === null) return [{ path, change: "removed", now: null }];
    if (digestOf(entry) === pinned) return [];
    return [{ path, change: entry.type === (pins.entries[path]?.type ?? "file") ? "changed" : "replaced", now: entry }];
  });
}

/** Restores every protected path that differs, and says which. */
export function compareProtected(pins: PinnedPaths, anchor: Anchor, keepFolder: string, by: Tamper["by"]): Tamper[] {
  return differsFromPins(pins).map(({ path, change, now }) => {
    const was = pins.entries[path] ?? null;
    let restored = was !== null || change === "added";
    if (restored) {
      try {
        anchor.store.restore({ path: join(pins.repo, path), change, was, now }, join(keepFolder, path));
      } catch (error) {
        passMachineFault(error);
        restored = false;
      }
    }
    return { path, change, guard: "protected", by, detail: null, restored };
  });
}

function readMatching(repo: string, globs: readonly string[]): Record<string, ManifestEntry> {
  return globs.length === 0 ? {} : readEntries(repo, findMatching(repo, globs));
}

function readEntries(repo: string, paths: readonly string[]): Record<string, ManifestEntry> {
  const entries: Record<string, ManifestEntry> = {};
  for (const path of paths) {
    const full = join(repo, path);
    const stat = lookAt(full);
    if (stat !== null) entries[path] = describe(full, stat);
  }
  return entries;
}

function describe(path: string, stat: Stats): ManifestEntry {
  const mode = Number(stat.mode) & 0o7777;
  if (stat.isSymbolicLink()) return { type: "link", mode, target: readlinkSync(path) };
  if (stat.isDirectory()) return { type: "folder", mode };
  if (!stat.isFile()) return { type: "special", mode };
  const read = readRegularFile(path, 1024 * 1024 * 1024);
  return read.kind === "file"
    ? { type: "file", mode, size: read.bytes.length, sha256: sha256(read.bytes) }
    : { type: "special", mode };
}

function digestOf(entry: ManifestEntry): string {
  return `${entry.type} ${entry.mode.toString(8)} ${entry.sha256 ?? entry.target ?? ""}`;
}
