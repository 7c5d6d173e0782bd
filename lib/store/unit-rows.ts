import { join } from "node:path";
import { sha256 } from "../text/sha256.ts";
import { type CacheFile, decodeCacheFile, writeCacheFile } from "./cache-file.ts";
import type { ManifestEntry } from "./manifest.ts";
import { type Packs, type PackWriter, readRef, saveText, splitRef, type TextRef } from "./packs.ts";

/** A unit's text from `sweepUnits`, and the place of its entries. */
export interface UnitRow {
  /** Null: compare entry by entry. */
  readonly seen: string | null;
  readonly list: TextRef;
  /** Bytes of each pack. */
  readonly uses: Readonly<Record<string, number>>;
  /** The caller's note on a folder named itself. Absent: do not compare it. */
  readonly note?: string;
}

/** By path. */
type UnitRows = ReadonlyMap<string, UnitRow>;

/** The rows of a pass, in buckets that passes share while unchanged. */
export interface RowSet {
  readonly rows: UnitRows;
  /** Folders and links above the compared ones. */
  readonly passages: Readonly<Record<string, ManifestEntry>>;
  readonly buckets: readonly TextRef[];
}

const rowsPerBucket = 64;

/** Appends what is new, and returns the place of the whole. */
export function saveRows(
  pack: PackWriter,
  { rows, passages }: Pick<RowSet, "rows" | "passages">,
  before: readonly TextRef[],
): { readonly ref: TextRef; readonly buckets: readonly TextRef[] } {
  const known = new Map(before.map((ref) => [splitRef(ref).sha256, ref]));
  const buckets = fillBuckets(rows).map((text) => known.get(sha256(text)) ?? saveText(pack, text));
  return { ref: saveText(pack, JSON.stringify({ passages, buckets })), buckets };
}

/** Null if a part is gone or differs. */
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

/** Bytes of each pack. */
export function countUses({ rows, buckets }: Pick<RowSet, "rows" | "buckets">): Map<string, number> {
  const uses = new Map<string, number>();
  const add = (name: string, bytes: number): void => void uses.set(name, (uses.get(name) ?? 0) + bytes);
  for (const row of rows.values()) for (const name in row.uses) add(name, row.uses[name] ?? 0);
  for (const { name, size } of buckets.map(splitRef)) add(name, size);
  return uses;
}

/** Each row in the bucket of its path's hash. */
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

interface Kept {
  readonly ref: TextRef;
  readonly packs: Readonly<Record<string, number>>;
}

export const newestName = "newest.json";
const mostBytes = 16 * 1024 * 1024;
/** A pack is abandoned above this size if less than a third of it is needed. */
const worthBytes = 256 * 1024;
const neededShare = 1 / 3;

/** The rows that any task recorded last, and their packs. */
export interface NewestRows extends RowSet {
  /** Missing or short packs, and abandoned ones: copy their contents again. */
  readonly lost: ReadonlySet<string>;
  /** The owner's pack to append to; null: a new one. */
  readonly writable: string | null;
}

const none: NewestRows = { rows: new Map(), passages: {}, buckets: [], lost: new Set(), writable: null };

/** Saves work only: empty if any part is missing, damaged or foreign. */
export function readNewest(folder: string, packs: Packs, owner: string): NewestRows {
  const kept = readKept(folder);
  const set = kept === null ? null : readRows(packs, kept.ref);
  if (kept === null || set === null) return none;
  const uses = countUses(set);
  const sizes = Object.entries(kept.packs);
  const lost = sizes.filter(([pack, least]) => {
    const size = packs.sizeOf(pack) ?? -1;
    return size < least || (size > worthBytes && (uses.get(pack) ?? 0) < size * neededShare);
  });
  const names = new Set(lost.map(([pack]) => pack));
  const own = sizes.map(([pack]) => pack).filter((pack) => pack.startsWith(`${owner}-`) && !names.has(pack));
  return { ...set, lost: names, writable: own.at(-1) ?? null };
}

/** Not durable: a cache. `scratch` is this writer's alone, so that sweeping `folder` removes nothing in use. */
export function writeNewest(folder: string, scratch: string, kept: Kept): void {
  writeCacheFile({ ...cacheOf(folder), temporaryIn: scratch }, [JSON.stringify(kept)]);
}

/** Packs that the rows need; none if unreadable. */
export function namesOfNewest(folder: string): readonly string[] {
  return Object.keys(readKept(folder)?.packs ?? {});
}

function cacheOf(folder: string): CacheFile {
  return { path: join(folder, newestName), key: [1], mostBytes };
}

function readKept(folder: string): Kept | null {
  return decodeCacheFile(cacheOf(folder), (read) => JSON.parse(read.toString("utf8")) as Kept);
}
