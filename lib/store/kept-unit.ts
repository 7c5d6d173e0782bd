import { lookAt } from "./folder.ts";
import { childrenOf, describeEntry } from "./manifest.ts";
import type { ManifestEntry } from "./manifest-shape.ts";
import { pathBytes, pathKey } from "./path-key.ts";
import { isSplit, isUnitName, settledAfterMs } from "./sweep-units.ts";

/** An entry of a unit, with the stats by which it is known again; null if it changed too short a time before. */
export interface KeptEntry {
  readonly entry: ManifestEntry;
  readonly stat: string | null;
}

/** By path, as `pathKey` writes it. */
export type KeptEntries = ReadonlyMap<string, KeptEntry>;

/**
 * What is in a unit now, nothing followed. A file is read unless it is known with the stats that it has. Throws as
 * `scanRoots` does.
 */
export function scanUnit(unit: string, known: KeptEntries): Map<string, KeptEntry> {
  const entries = new Map<string, KeptEntry>();
  const open = [pathBytes(unit)];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const key = pathKey(path);
    const now = Date.now();
    const stats = lookAt(path);
    if (stats === null) continue;
    const stat =
      now - stats.ctimeMs <= settledAfterMs
        ? null
        : [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
    const old = known.get(key);
    const entry = stat !== null && old?.stat === stat ? old.entry : describeEntry(path);
    if (entry === null) continue;
    entries.set(key, { entry, stat });
    if (entry.type !== "folder") continue;
    const children = childrenOf(path);
    open.push(...(isSplit(key) ? children.filter((child) => !isUnit(child)) : children));
  }
  return entries;
}

function isUnit(child: Buffer): boolean {
  return isUnitName(pathKey(child)) && lookAt(child)?.isDirectory() === true;
}

export function formatUnit(entries: KeptEntries): string {
  return JSON.stringify([...entries].map(([key, { entry, stat }]) => [key, entry, stat]));
}

/** The entries of a list that was proven to be the runner's own. */
export function parseUnit(text: string): Map<string, KeptEntry> {
  const rows = JSON.parse(text) as readonly [string, ManifestEntry, string | null][];
  return new Map(rows.map(([key, entry, stat]) => [key, { entry, stat }]));
}

/** A regular file. */
export interface KnownFile {
  readonly sha256: string;
  readonly size: number;
}

/** The files that could be read, by their path in the unit; null if there is no list, or a name in it is no UTF-8. */
export function filesOf(unit: string, entries: KeptEntries): Map<string, KnownFile> | null {
  const files = new Map<string, KnownFile>();
  for (const [path, { entry }] of entries) {
    if (path.startsWith("//")) return null;
    const { sha256, size } = entry;
    if (sha256 !== undefined && size !== undefined) files.set(path.slice(unit.length + 1), { sha256, size });
  }
  return entries.size === 0 ? null : files;
}
