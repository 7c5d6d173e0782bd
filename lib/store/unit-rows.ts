import { sha256 } from "../text/sha256.ts";
import type { ManifestEntry } from "./manifest-shape.ts";
import { keepRef, type Packs, type PackWriter, readRef, splitRef, type TextRef } from "./packs.ts";

/** What is known of one unit: the text that `sweepUnits` gave, and where its list of entries is. */
export interface UnitRow {
  /** Null: it has to be compared entry by entry. */
  readonly seen: string | null;
  readonly list: TextRef;
  /** How many bytes of each pack it needs. */
  readonly uses: Readonly<Record<string, number>>;
  /** Of a folder that was named itself: what the caller wants to find again. Missing: it is not to be compared. */
  readonly note?: string;
}

/** By path. */
export type UnitRows = ReadonlyMap<string, UnitRow>;

/** The rows of one pass, in texts of some rows each; those that did not change are shared with passes before. */
export interface RowSet {
  readonly rows: UnitRows;
  /** The folders and links above what is compared. */
  readonly passages: Readonly<Record<string, ManifestEntry>>;
  readonly buckets: readonly TextRef[];
}

const rowsPerBucket = 64;

/** Appends what is new, and gives the place of the whole. */
export function keepRows(
  pack: PackWriter,
  { rows, passages }: Pick<RowSet, "rows" | "passages">,
  before: readonly TextRef[],
): { readonly ref: TextRef; readonly buckets: readonly TextRef[] } {
  const known = new Map(before.map((ref) => [splitRef(ref).sha256, ref]));
  const buckets = fillBuckets(rows).map((text) => known.get(sha256(text)) ?? keepRef(pack, text));
  return { ref: keepRef(pack, JSON.stringify({ passages, buckets })), buckets };
}

/** Null if a part of it is gone or is another one. */
export function readRows(packs: Packs, ref: TextRef): RowSet | null {
  const text = readRef(packs, ref);
  if (text === null) return null;
  const { passages, buckets } = JSON.parse(text) as Pick<RowSet, "passages" | "buckets">;
  const rows = new Map<string, UnitRow>();
  for (const bucket of buckets) {
    const stored = readRef(packs, bucket);
    if (stored === null) return null;
    for (const [path, row] of JSON.parse(stored) as readonly [string, UnitRow][]) rows.set(path, row);
  }
  return { rows, passages, buckets };
}

/** How many bytes of each pack all of it needs. */
export function countUses({ rows, buckets }: Pick<RowSet, "rows" | "buckets">): Map<string, number> {
  const uses = new Map<string, number>();
  const add = (name: string, bytes: number): void => void uses.set(name, (uses.get(name) ?? 0) + bytes);
  for (const row of rows.values()) for (const name in row.uses) add(name, row.uses[name] ?? 0);
  for (const { name, size } of buckets.map(splitRef)) add(name, size);
  return uses;
}

/** As many texts as there are rows for, each row in the one that its path leads to. */
function fillBuckets(rows: UnitRows): string[] {
  let count = 1;
  while (count * rowsPerBucket < rows.size) count *= 2;
  const buckets = Array.from({ length: count }, (): [string, UnitRow][] => []);
  for (const pair of rows) buckets[hashOf(pair[0]) & (count - 1)]?.push(pair);
  return buckets.map((pairs) => JSON.stringify(pairs.sort(([left], [right]) => (left < right ? -1 : 1))));
}

/** FNV-1a; it only has to spread the paths. */
function hashOf(path: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < path.length; index += 1) hash = Math.imul(hash ^ path.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
