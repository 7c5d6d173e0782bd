import { sha256 as digestOf } from "../text/sha256.ts";
import { statEntry } from "./folder.ts";
import { childrenOf, keepAsRead, type ManifestEntry, readEntry } from "./manifest.ts";
import { type PackWriter, splitRef, type TextRef } from "./packs.ts";
import { pathBytes, pathKey } from "./path-key.ts";
import { isSplit, isUnitName, settledAfterMs } from "./sweep-units.ts";
import type { UnitRow } from "./unit-rows.ts";

/** An entry with the stats that recognise it; null if it changed too recently. */
interface KeptEntry {
  readonly entry: ManifestEntry;
  readonly stat: string | null;
}

/** By path, as `pathKey`. */
export type KeptEntries = ReadonlyMap<string, KeptEntry>;

/** Follows nothing; reads only files with other stats than the known ones. Throws like `scanRoots`. */
export function scanUnit(unit: string, known: KeptEntries): Map<string, KeptEntry> {
  const entries = new Map<string, KeptEntry>();
  const open = [pathBytes(unit)];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const key = pathKey(path);
    const now = Date.now();
    const stats = statEntry(path);
    if (stats === null) continue;
    const stat =
      now - stats.ctimeMs <= settledAfterMs
        ? null
        : [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
    const old = known.get(key);
    const entry = stat !== null && old?.stat === stat ? old.entry : readEntry(path, stats);
    if (entry === null) continue;
    entries.set(key, { entry, stat });
    if (entry.type !== "folder") continue;
    const children = childrenOf(path);
    open.push(...(isSplit(key) ? children.filter((child) => !isUnit(child)) : children));
  }
  return entries;
}

function isUnit(child: Buffer): boolean {
  return isUnitName(pathKey(child)) && statEntry(child)?.isDirectory() === true;
}

export function formatUnit(entries: KeptEntries): string {
  return JSON.stringify([...entries].map(([key, { entry, stat }]) => [key, entry, stat]));
}

/** For a list whose digest proved it the runner's own. */
export function parseUnit(text: string): Map<string, KeptEntry> {
  const rows = JSON.parse(text) as readonly [string, ManifestEntry, string | null][];
  return new Map(rows.map(([key, entry, stat]) => [key, { entry, stat }]));
}

export interface KnownFile {
  readonly sha256: string;
  readonly size: number;
}

/** Readable files by their path in the unit; null without a list, or if a name is not UTF-8. */
export function filesOf(unit: string, entries: KeptEntries): Map<string, KnownFile> | null {
  const files = new Map<string, KnownFile>();
  for (const [path, { entry }] of entries) {
    if (path.startsWith("//")) return null;
    const { sha256, size } = entry;
    if (sha256 !== undefined && size !== undefined) files.set(path.slice(unit.length + 1), { sha256, size });
  }
  return entries.size === 0 ? null : files;
}

export interface Keeper {
  readonly pack: PackWriter;
  readonly lost: ReadonlySet<string>;
  readonly places: Map<string, string>;
}

/** Each file gets the place of a copy: the known entry's or a new one. */
export function saveEntries(
  entries: KeptEntries,
  known: KeptEntries,
  { pack, lost, places }: Keeper,
): Map<string, KeptEntry> {
  const old = new Map<string, string>();
  for (const { entry } of known.values())
    if (entry.sha256 !== undefined && entry.at !== undefined && !lost.has(splitRef(entry.at).name))
      old.set(entry.sha256, entry.at);
  const find = (sha256: string): string | undefined => old.get(sha256) ?? places.get(sha256);
  const kept = new Map<string, KeptEntry>();
  for (const [path, { entry, stat }] of entries) {
    const placed = keepAsRead(path, entry, (read, sha256) => {
      const at = find(sha256) ?? pack.addFile(pathBytes(path), sha256);
      return at === null ? null : { ...read, at };
    });
    if (placed.sha256 !== undefined && placed.at !== undefined) places.set(placed.sha256, placed.at);
    // The file changed: its stats do not belong to the copied bytes.
    kept.set(path, { entry: placed, stat: placed.sha256 === entry.sha256 ? stat : null });
  }
  return kept;
}

export function usesOf(entries: KeptEntries, list: TextRef): Record<string, number> {
  const uses: Record<string, number> = {};
  const add = (name: string, bytes: number): void => {
    uses[name] = (uses[name] ?? 0) + bytes;
  };
  for (const { entry } of entries.values()) if (entry.at !== undefined) add(splitRef(entry.at).name, entry.size ?? 0);
  const { name, size } = splitRef(list);
  add(name, size);
  return uses;
}

export function usesAny({ uses }: UnitRow, packs: ReadonlySet<string>): boolean {
  if (packs.size === 0) return false;
  return Object.keys(uses).some((name) => packs.has(name));
}

export function saveAhead(there: ManifestEntry | undefined, bytes: Buffer, { pack, places }: Keeper): ManifestEntry {
  const sha256 = digestOf(bytes);
  places.set(sha256, pack.keepText(bytes));
  return { type: "file", mode: there?.mode ?? 0o644, sha256, size: bytes.length };
}

export function entriesOf(kept: KeptEntries): Map<string, ManifestEntry> {
  return new Map([...kept].map(([path, { entry }]: [string, KeptEntry]) => [path, entry]));
}
