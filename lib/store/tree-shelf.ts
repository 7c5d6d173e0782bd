import { basename, dirname } from "node:path";
import { diskError } from "../report/errors.ts";
import { sha256 as digestOf } from "../text/sha256.ts";
import { diffEntries, isMoved, type PathChange, parentsFirst } from "./compare-manifest.ts";
import { type Keeper, keepEntries, usesAny, usesOf } from "./keep-entries.ts";
import {
  filesOf,
  formatUnit,
  type KeptEntries,
  type KeptEntry,
  type KnownFile,
  parseUnit,
  scanUnit,
} from "./kept-unit.ts";
import { ancestorsOf, describePassages, type ManifestOptions, scanRoots } from "./manifest.ts";
import type { Manifest, ManifestEntry } from "./manifest-shape.ts";
import { type NewestRows, readNewest, writeNewest } from "./newest-rows.ts";
import { keepRef, openPacks, type Packs, readRef, splitRef, type TextRef } from "./packs.ts";
import { openPrivateFolder } from "./state-home.ts";
import { holdersOf, sweepUnits } from "./sweep-units.ts";
import { countUses, keepRows, type RowSet, readRows, type UnitRow } from "./unit-rows.ts";

/**
 * The runner's own copies of what a pass must not change: of what is read each time, and beside it of many folders that
 * hardly change, such as the other tasks of a tasks root and the earlier passes of a task. Such a folder costs one look
 * at each of its entries as long as it is as it was when any task of the root recorded it last.
 */
export interface TreeShelf {
  readonly packs: Packs;
  /** Durable when it returns. */
  record(wanted: Wanted): Recorded;
  /** How the folders differ from the record now, parents first. Throws TP_ANCHOR if the record is damaged. */
  compare(trees: TreesRef): PathChange[];
  /**
   * The regular files of a recorded folder, by their path in it; null unless the last compare found it as recorded. Only
   * saves reading them.
   */
  filesIn(folder: string): ReadonlyMap<string, KnownFile> | null;
  /** The notes of the folders that were recorded. Throws as `compare` does. */
  notes(trees: TreesRef): ReadonlyMap<string, string>;
}

export interface Wanted {
  /** The folder of the task that records. */
  readonly task: string;
  /** What is read each time, and is in the manifest entry by entry. */
  readonly roots: readonly string[];
  readonly options: ManifestOptions;
  /** Files below the roots that are to count with these bytes, since they get them once the record is durable. */
  readonly ahead?: ReadonlyMap<string, Buffer>;
  /** The folders that hardly change, each with a note that is made from its last one. */
  readonly trees: ReadonlyMap<string, (last: string | null) => string>;
}

export interface Recorded {
  readonly manifest: Manifest;
  readonly trees: TreesRef;
}

/** Where the rows of the folders are, and all packs that they or the manifest need. */
export interface TreesRef {
  readonly ref: TextRef;
  readonly packs: readonly string[];
}

type EntryMap = Map<string, ManifestEntry>;

const noEntries: KeptEntries = new Map();

/**
 * `own`: the folder of the task that records, on the same file system; only the holder of its lock writes there, and
 * appends to the packs that have its name. All methods throw TP_DISK.
 */
export function openTreeShelf(folder: string, own: string): TreeShelf {
  const owner = basename(own).slice(0, 16);
  const packs = openPacks(folder, owner);
  let loaded: { readonly ref: TextRef; readonly set: Pick<RowSet, "rows" | "passages"> } | null = null;
  /** What the last compare found as recorded, with what was seen of it then. */
  let same = new Map<string, string | null>();

  function record(wanted: Wanted): Recorded {
    openPrivateFolder(folder);
    const before = readNewest(folder, packs, owner);
    const { set, ref, end, name, manifest } = packs.write(before.writable, (pack) => {
      const keeper: Keeper = { pack, lost: before.lost, places: new Map() };
      const own = keepOwn(wanted, before, keeper);
      const rows = new Map([[ownKey(wanted.task), own.row], ...treeRows(wanted, before, keeper)]);
      carryOver(rows, wanted, before);
      const passages = Object.fromEntries(describePassages(oneOfEach([...wanted.trees.keys()])));
      const kept = keepRows(
        pack,
        { rows, passages },
        before.buckets.filter((text) => !before.lost.has(splitRef(text).name)),
      );
      return { ...kept, set: { rows, passages, buckets: kept.buckets }, end: pack.end(), name: pack.name, ...own };
    });
    loaded = { ref, set };
    same.clear();
    const sizes = Object.fromEntries([...countUses(set).keys()].map((each) => [each, packs.sizeOf(each) ?? 0]));
    writeNewest(folder, own, { ref, packs: { ...sizes, [name]: end } });
    return { manifest, trees: { ref, packs: [...new Set([...Object.keys(sizes), name])] } };
  }

  function keepOwn({ task, roots, options, ahead = new Map() }: Wanted, { rows }: NewestRows, keeper: Keeper) {
    const now = scanRoots(roots, options, () => false);
    for (const [path, bytes] of ahead) now.set(path, keepAhead(now.get(path), bytes, keeper));
    const seen = [...now].map(([path, entry]) => [path, { entry, stat: null }] as const);
    const { row, entries } = keepUnit(new Map(seen), listOf(rows.get(ownKey(task))), null, keeper);
    const files = [...entries].map(([path, { entry }]) => [path, entry] as const);
    return { row, manifest: { roots, entries: Object.fromEntries([...describePassages(roots), ...files]) } };
  }

  function treeRows({ trees }: Wanted, before: NewestRows, keeper: Keeper): [string, UnitRow][] {
    return [...trees].flatMap(([top, noteOf]) =>
      sweepUnits(top).map(({ path, seen }): [string, UnitRow] => {
        const known = before.rows.get(path);
        const isSame = known !== undefined && seen !== null && seen === known.seen && !usesAny(known, before.lost);
        const { note, ...row } = isSame ? known : renewRow(path, seen, known, keeper);
        return [path, path === top ? { ...row, note: noteOf(known?.note ?? null) } : row];
      }),
    );
  }

  function renewRow(path: string, seen: string | null, known: UnitRow | undefined, keeper: Keeper): UnitRow {
    const list = listOf(known);
    return keepUnit(scanUnit(path, list), list, seen, keeper).row;
  }

  function keepUnit(now: KeptEntries, known: KeptEntries, seen: string | null, keeper: Keeper) {
    const entries = keepEntries(now, known, keeper);
    const list = keepRef(keeper.pack, formatUnit(entries));
    return { entries, row: { seen, list, uses: usesOf(entries, list) } };
  }

  /** What only saves work: nothing if it is gone. */
  function listOf(row: UnitRow | undefined): KeptEntries {
    const text = row === undefined ? null : readRef(packs, row.list);
    return text === null ? noEntries : parseUnit(text);
  }

  function load({ ref }: TreesRef): Pick<RowSet, "rows" | "passages"> {
    if (loaded?.ref === ref) return loaded.set;
    const set = readRows(packs, ref) ?? damaged(folder);
    loaded = { ref, set };
    return set;
  }

  function compare(trees: TreesRef): PathChange[] {
    const { rows, passages } = load(trees);
    const before = same;
    same = new Map();
    const isBlocked = remember((parent: string) =>
      [...ancestorsOf(parent), parent].some((path) => isMoved(passages[path], path)),
    );
    const found = new Set<string>();
    const was = new Map<string, ManifestEntry>();
    const now = new Map<string, ManifestEntry>();
    for (const [top, { note }] of rows) {
      if (note === undefined || isBlocked(dirname(top))) continue;
      for (const { path, seen } of sweepUnits(top)) {
        found.add(path);
        // Its stats alone may not tell that it is as recorded, and did after it was read.
        const isKnown = seen !== null && seen === (before.get(path) ?? rows.get(path)?.seen);
        if (isKnown || !tellsApart(path, rows.get(path), was, now)) same.set(path, seen);
      }
    }
    for (const [path, row] of rows) {
      if (found.has(path) || !holdersOf(path).some((holder) => rows.get(holder)?.note !== undefined)) continue;
      addAll(was, entriesOf(recordedIn(row)));
    }
    return diffEntries(was, now).sort(parentsFirst);
  }

  /** Adds both lists if they differ. */
  function tellsApart(path: string, row: UnitRow | undefined, was: EntryMap, now: EntryMap): boolean {
    const recorded = recordedIn(row);
    const [before, after] = [entriesOf(recorded), entriesOf(scanUnit(path, recorded))];
    if (diffEntries(before, after).length === 0) return false;
    addAll(was, before);
    addAll(now, after);
    return true;
  }

  function recordedIn(row: UnitRow | undefined): KeptEntries {
    return row === undefined ? noEntries : parseUnit(readRef(packs, row.list) ?? damaged(folder));
  }

  return {
    packs,
    record,
    compare,
    filesIn: (folder) => (same.has(folder) ? filesOf(folder, listOf(loaded?.set.rows.get(folder))) : null),
    notes: (trees) =>
      new Map([...load(trees).rows].flatMap(([path, { note }]) => (note === undefined ? [] : [[path, note]]))),
  };
}

function keepAhead(there: ManifestEntry | undefined, bytes: Buffer, { pack, places }: Keeper): ManifestEntry {
  const sha256 = digestOf(bytes);
  places.set(sha256, pack.keepText(bytes));
  return { type: "file", mode: there?.mode ?? 0o644, sha256, size: bytes.length };
}

function ownKey(task: string): string {
  return `own:${task}`;
}

/**
 * Rows for whoever records next: what other tasks read each time, and this task folder as they see it. No others: what
 * was swept just now has its row, and what that did not find is gone.
 */
function carryOver(rows: Map<string, UnitRow>, { task, trees }: Wanted, before: NewestRows): void {
  for (const path of [...[...trees.keys()].map(ownKey), task]) {
    const row = before.rows.get(path);
    if (row === undefined || rows.has(path) || usesAny(row, before.lost)) continue;
    const { note: _note, ...carried } = row;
    rows.set(path, carried);
  }
}

/** One path of each folder: what is above them is the same. */
function oneOfEach(paths: readonly string[]): string[] {
  return [...new Map(paths.map((path) => [dirname(path), path])).values()];
}

function entriesOf(kept: KeptEntries): Map<string, ManifestEntry> {
  return new Map([...kept].map(([path, { entry }]: [string, KeptEntry]) => [path, entry]));
}

function addAll<Value>(to: Map<string, Value>, from: ReadonlyMap<string, Value>): void {
  for (const [key, value] of from) to.set(key, value);
}

function remember<Value>(work: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, work(key));
    return known.get(key) as Value;
  };
}

function damaged(folder: string): never {
  throw diskError("TP_ANCHOR", "the runner's own record of what a pass must not change is gone or damaged", {
    file: folder,
    fix: "restore it, or delete current.json of the task in the runner's state folder to start the pass over",
  });
}
