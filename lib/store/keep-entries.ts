import { storeError } from "./error-code.ts";
import type { KeptEntries, KeptEntry } from "./kept-unit.ts";
import { describeEntry } from "./manifest.ts";
import type { ManifestEntry } from "./manifest-shape.ts";
import { type PackWriter, splitRef, type TextRef } from "./packs.ts";
import { pathBytes } from "./path-key.ts";
import type { UnitRow } from "./unit-rows.ts";

/** Copies of one record, which end up in one pack. */
export interface Keeper {
  readonly pack: PackWriter;
  /** Packs that nothing may be left in. */
  readonly lost: ReadonlySet<string>;
  /** Where the bytes of a digest are, of those that were copied by now. */
  readonly places: Map<string, string>;
}

const triesPerFile = 5;

/** The entries, each file with the place of a copy of its bytes: that of the known entries, or a new one. */
export function keepEntries(
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
    const placed = entry.sha256 === undefined ? entry : placeOf(path, entry, find, pack);
    if (placed.sha256 !== undefined && placed.at !== undefined) places.set(placed.sha256, placed.at);
    // Other bytes than those that the stats were of: they say nothing.
    kept.set(path, { entry: placed, stat: placed.sha256 === entry.sha256 ? stat : null });
  }
  return kept;
}

/** The file may be written to at this moment: the entry must be that of the bytes that were copied. */
function placeOf(
  path: string,
  seen: ManifestEntry,
  find: (sha256: string) => string | undefined,
  pack: PackWriter,
): ManifestEntry {
  let entry: ManifestEntry | null = seen;
  for (let tries = 0; tries < triesPerFile; tries += 1) {
    if (entry?.sha256 === undefined) return entry ?? seen;
    const at: string | null = find(entry.sha256) ?? pack.keepFile(pathBytes(path), entry.sha256);
    if (at !== null) return { ...entry, at };
    entry = describeEntry(pathBytes(path));
  }
  throw storeError("copy", path, new Error("it changes while it is being read"));
}

/** How many bytes of each pack the entries and their list need. */
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
