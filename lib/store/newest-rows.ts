import { join } from "node:path";
import { type CacheFile, readCacheFile, writeCacheFile } from "./cache-file.ts";
import type { Packs, TextRef } from "./packs.ts";
import { countUses, type RowSet, readRows } from "./unit-rows.ts";

interface Kept {
  readonly ref: TextRef;
  readonly packs: Readonly<Record<string, number>>;
}

export const newestName = "newest.json";
const mostBytes = 16 * 1024 * 1024;
/** A pack of which less than a third is needed is given up, once it is worth it. */
const worthBytes = 256 * 1024;
const neededShare = 1 / 3;

/** The rows that were recorded last, whoever did it, and the packs that they are in. */
export interface NewestRows extends RowSet {
  /** Packs that are gone or too short, and those that are given up: what is in them has to be copied again. */
  readonly lost: ReadonlySet<string>;
  /** The pack of this owner to append to; null: a new one. */
  readonly writable: string | null;
}

const none: NewestRows = { rows: new Map(), passages: {}, buckets: [], lost: new Set(), writable: null };

/** Only saves work: nothing of it if any part is missing, damaged or not the runner's own. */
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

/**
 * Not durably: after a power cut everything is read and copied once. `scratch`: a folder where nobody else writes. Others
 * may be writing in `folder` when a later run clears away what was half-written.
 */
export function writeNewest(folder: string, scratch: string, kept: Kept): void {
  writeCacheFile({ ...cacheOf(folder), temporaryIn: scratch }, [JSON.stringify(kept)]);
}

/** The names of the packs that the rows need; none if they cannot be read. */
export function namesOfNewest(folder: string): readonly string[] {
  return Object.keys(readKept(folder)?.packs ?? {});
}

function cacheOf(folder: string): CacheFile {
  return { path: join(folder, newestName), key: [1], mostBytes };
}

function readKept(folder: string): Kept | null {
  const read = readCacheFile(cacheOf(folder));
  return read === null ? null : (JSON.parse(read.toString("utf8")) as Kept);
}
