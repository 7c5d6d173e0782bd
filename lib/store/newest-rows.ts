import { join } from "node:path";
import * as v from "valibot";
import { recordOf } from "../text/shape.ts";
import type { Packs, TextRef } from "./packs.ts";
import { putFile } from "./put-file.ts";
import { readJsonFile } from "./read-json.ts";
import { countUses, type RowSet, readRows } from "./unit-rows.ts";

const newestShape = v.object({ ref: v.string(), packs: recordOf(v.number()) });
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
  const read = readJsonFile(join(folder, newestName), newestShape, mostBytes);
  if (read.kind !== "read") return none;
  const set = readRows(packs, read.value.ref);
  if (set === null) return none;
  const uses = countUses(set);
  const sizes = Object.entries(read.value.packs);
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
export function writeNewest(
  folder: string,
  scratch: string,
  ref: TextRef,
  packs: Readonly<Record<string, number>>,
): void {
  putFile(join(folder, newestName), JSON.stringify({ ref, packs }), {
    mode: 0o600,
    durable: false,
    temporaryIn: scratch,
  });
}

/** The names of the packs that the rows need; none if they cannot be read. */
export function namesOfNewest(folder: string): readonly string[] {
  const read = readJsonFile(join(folder, newestName), newestShape, mostBytes);
  return read.kind === "read" ? Object.keys(read.value.packs) : [];
}
