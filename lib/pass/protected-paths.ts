import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Tamper } from "../machine/facts.ts";
import { findMatching } from "../store/glob-paths.ts";
import { manifestEntryShape } from "../store/manifest-shape.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { ManifestEntry } from "../store/snapshot.ts";
import { readShape, recordOf } from "../text/read-shape.ts";
import { sha256 } from "../text/sha256.ts";
import type { Anchor } from "./anchor.ts";

/**
 * The protected paths of the repo as they stood at pass 1, or after a person's last edit of the brief. The journal
 * holds a digest of each; the anchor holds the bytes.
 */
export interface PinnedPaths {
  readonly repo: string;
  readonly globs: readonly string[];
  /** Repo path → digest of its entry. */
  readonly digests: Readonly<Record<string, string>>;
  /** Repo path → the entry itself; missing where this machine never pinned it. */
  readonly entries: Readonly<Record<string, ManifestEntry>>;
}

/** Pins what the globs match now: digests for the journal, bytes for the anchor. */
export function pinProtected(repo: string, globs: readonly string[], anchor: Anchor | null): PinnedPaths {
  const entries = globs.length === 0 ? {} : readEntries(repo, findMatching(repo, globs), anchor);
  const digests = Object.fromEntries(Object.entries(entries).map(([path, entry]) => [path, digestOf(entry)]));
  return { repo, globs, digests, entries };
}

/** The pins that the journal names, with the bytes that this machine's anchor has for them. */
export function loadPins(
  repo: string,
  globs: readonly string[],
  digests: Readonly<Record<string, string>>,
  anchor: Anchor | null,
): PinnedPaths {
  const stored = anchor === null ? {} : readPins(anchor);
  const entries: Record<string, ManifestEntry> = {};
  const present = pinProtected(repo, globs, anchor);
  for (const [path, digest] of Object.entries(digests)) {
    const candidate = [stored[path], present.entries[path]].find(
      (entry) => entry !== undefined && digestOf(entry) === digest,
    );
    if (candidate !== undefined) entries[path] = candidate;
  }
  return { repo, globs, digests, entries };
}

/** Pins that cannot be read are as none: what still has the digest of the journal takes their place. */
function readPins(anchor: Anchor): Readonly<Record<string, ManifestEntry>> {
  const file = readRegularFile(join(anchor.folder, "pins.json"), 64 * 1024 * 1024);
  if (file.kind !== "file") return {};
  const read = readShape(recordOf(manifestEntryShape), file.bytes);
  return read.kind === "read" ? read.value : {};
}

/** Keeps the entries, so that a later pass can put a path back. */
export function storePins(pins: PinnedPaths, anchor: Anchor): void {
  putFile(join(anchor.folder, "pins.json"), JSON.stringify(pins.entries), { mode: 0o600 });
}

export interface PinDifference {
  readonly path: string;
  readonly change: Tamper["change"];
  readonly now: ManifestEntry | null;
}

/** The protected paths that differ from their pins. */
export function differsFromPins(pins: PinnedPaths): PinDifference[] {
  const now = pins.globs.length === 0 ? {} : readEntries(pins.repo, findMatching(pins.repo, pins.globs), null);
  for (const path of Object.keys(pins.digests)) {
    if (now[path] === undefined) Object.assign(now, readEntries(pins.repo, [path], null));
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

/** Puts back every protected path that differs, and says which. */
export function compareProtected(pins: PinnedPaths, anchor: Anchor, keepFolder: string, by: Tamper["by"]): Tamper[] {
  return differsFromPins(pins).map(({ path, change, now }) => {
    const was = pins.entries[path] ?? null;
    let restored = was !== null || change === "added";
    if (restored) {
      try {
        anchor.store.restore({ path: join(pins.repo, path), change, was, now }, join(keepFolder, path));
      } catch {
        restored = false;
      }
    }
    return { path, change, guard: "protected", by, detail: null, restored };
  });
}

function readEntries(repo: string, paths: readonly string[], anchor: Anchor | null): Record<string, ManifestEntry> {
  const entries: Record<string, ManifestEntry> = {};
  for (const path of paths) {
    const full = join(repo, path);
    const stat = lstatSync(full, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    const recorded = anchor === null ? undefined : anchor.store.record([full], { skip: () => false }).entries[full];
    entries[path] = recorded ?? describe(full, stat);
  }
  return entries;
}

function describe(path: string, stat: NonNullable<ReturnType<typeof lstatSync>>): ManifestEntry {
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
