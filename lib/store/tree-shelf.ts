import { basename, dirname } from "node:path";
import { diskError } from "../text/errors.ts";
import { diffEntries, isMoved, type PathChange, parentsFirst } from "./compare-manifest.ts";
import {
  entriesOf,
  filesOf,
  formatUnit,
  type Keeper,
  type KeptEntries,
  type KnownFile,
  parseUnit,
  saveAhead,
  saveEntries,
  scanUnit,
  usesAny,
  usesOf,
} from "./kept-unit.ts";
import {
  ancestorsOf,
  type Manifest,
  type ManifestEntry,
  type ManifestOptions,
  readPassages,
  scanRoots,
} from "./manifest.ts";
import { openPacks, type Packs, readRef, saveText, splitRef, type TextRef } from "./packs.ts";
import { openPrivateFolder } from "./state-home.ts";
import { holdersOf, sweepUnits } from "./sweep-units.ts";
import {
  countUses,
  type NewestRows,
  type RowSet,
  readNewest,
  readRows,
  saveRows,
  type UnitRow,
  writeNewest,
} from "./unit-rows.ts";

/**
 * Copies of what a pass must not change: roots that are read each time, and folders that hardly change, such as other
 * tasks and earlier passes. These cost one look at each entry while they are as any task of the root last recorded
 * them.
 */
export interface TreeShelf {
  readonly packs: Packs;
  /** Durable on return. */
  record(wanted: Wanted): Recorded;
  /** Current differences of the folders, parents first. Throws TP_ANCHOR if the record is damaged. */
  compare(trees: TreesRef): PathChange[];
  /** By relative path; null unless the last compare found the folder unchanged. Saves reading them. */
  filesIn(folder: string): ReadonlyMap<string, KnownFile> | null;
  /** Throws like `compare`. */
  notes(trees: TreesRef): ReadonlyMap<string, string>;
}

interface Wanted {
  /** The folder of the recording task. */
  readonly task: string;
  /** Read each time, entry by entry in the manifest. */
  readonly roots: readonly string[];
  readonly options: ManifestOptions;
  /** Files below the roots that count with these bytes, which they get once the record is durable. */
  readonly ahead?: ReadonlyMap<string, Buffer>;
  /** Folders that hardly change, each with a note made from its last one. */
  readonly trees: ReadonlyMap<string, (last: string | null) => string>;
}

export interface Recorded {
  readonly manifest: Manifest;
  readonly trees: TreesRef;
}

/** The rows of the folders, and all packs that they and the manifest need. */
interface TreesRef {
  readonly ref: TextRef;
  readonly packs: readonly string[];
}

type EntryMap = Map<string, ManifestEntry>;

const noEntries: KeptEntries = new Map();

/** `own`: the recording task's folder, on the same file system, under its lock. Methods throw TP_DISK. */
export function openTreeShelf(folder: string, own: string): TreeShelf {
  const owner = basename(own).slice(0, 16);
  const packs = openPacks(folder, owner);
  let loaded: { readonly ref: TextRef; readonly set: Pick<RowSet, "rows" | "passages"> } | null = null;
  /** Unchanged at the last compare, with their stats of then. */
  let same = new Map<string, string | null>();

  function record(wanted: Wanted): Recorded {
    openPrivateFolder(folder);
    const before = readNewest(folder, packs, owner);
    const { set, ref, end, name, manifest } = packs.write(before.writable, (pack) => {
      const keeper: Keeper = { pack, lost: before.lost, places: new Map() };
      const own = saveOwn(wanted, before, keeper);
      const rows = new Map([[ownKey(wanted.task), own.row], ...treeRows(wanted, before, keeper)]);
      carryOver(rows, wanted, before);
      const passages = Object.fromEntries(readPassages(oneOfEach([...wanted.trees.keys()])));
      const kept = saveRows(
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

  function saveOwn({ task, roots, options, ahead = new Map() }: Wanted, { rows }: NewestRows, keeper: Keeper) {
    const now = scanRoots(roots, options, () => false);
    for (const [path, bytes] of ahead) now.set(path, saveAhead(now.get(path), bytes, keeper));
    const seen = [...now].map(([path, entry]) => [path, { entry, stat: null }] as const);
    const { row, entries } = saveUnit(new Map(seen), listOf(rows.get(ownKey(task))), null, keeper);
    const files = [...entries].map(([path, { entry }]) => [path, entry] as const);
    return { row, manifest: { roots, entries: Object.fromEntries([...readPassages(roots), ...files]) } };
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
    return saveUnit(scanUnit(path, list), list, seen, keeper).row;
  }

  function saveUnit(now: KeptEntries, known: KeptEntries, seen: string | null, keeper: Keeper) {
    const entries = saveEntries(now, known, keeper);
    const list = saveText(keeper.pack, formatUnit(entries));
    return { entries, row: { seen, list, uses: usesOf(entries, list) } };
  }

  /** Saves work only: empty if it is gone. */
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
        // Its stats alone may not tell, but did right after it was read.
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

function ownKey(task: string): string {
  return `own:${task}`;
}

/** What other tasks read each time, and this task folder as they see it; swept folders have their rows. */
function carryOver(rows: Map<string, UnitRow>, { task, trees }: Wanted, before: NewestRows): void {
  for (const path of [...[...trees.keys()].map(ownKey), task]) {
    const row = before.rows.get(path);
    if (row === undefined || rows.has(path) || usesAny(row, before.lost)) continue;
    const { note: _note, ...carried } = row;
    rows.set(path, carried);
  }
}

/** One path per folder: paths of one folder give equal passages. */
function oneOfEach(paths: readonly string[]): string[] {
  return [...new Map(paths.map((path) => [dirname(path), path])).values()];
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
