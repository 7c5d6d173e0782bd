import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readEntry } from "../../git/content-entries.ts";
import { passMachineFault } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { joinBytes, pathBytes } from "../../store/path-key.ts";
import { clearWay, removeTree } from "../../store/remove-tree.ts";
import { listFolder } from "../../store/walk.ts";
import { type CopyOutcome, type CopyRequest, makeCopy } from "./clean-copy.ts";
import { folderStamp, hasTicked, stampOf } from "./copy-stamps.ts";
import { foldersOf } from "./listed-folders.ts";

/**
 * A clean copy that one cell leaves to the next. Before each cell everything in it is compared with what `lstat` said
 * when nothing but the runner had written to it: what differs, and what was not there, is removed and made anew. Only
 * the kernel sets the time of an entry's last change, and what was noted is in this process alone, so code that ran in
 * the copy can hide nothing that it wrote. The copy then has the same bytes as one that is made from nothing.
 */
export interface KeptCopy {
  /** The copy is in it. */
  readonly folder: string;
  /** Brings the copy to these contents, and rids it of all that was carried but what the cell carries, by repo path. */
  update(request: CopyRequest, carried: readonly string[]): Promise<CopyOutcome>;
  /** What was left out when this was carried, if it still is in the copy as it was then; else null. */
  leftOutOf(carried: string): readonly string[] | null;
  /** Notes what is in the copy, with what was left out of each thing that is carried. Then checks may run in it. */
  note(leftOut: ReadonlyMap<string, readonly string[]>): Promise<void>;
  /** Null, or the folder if something of it is left. */
  remove(): string | null;
}

/** An entry of the copy. Paths are the Latin-1 text of their bytes below the copy, without a slash at the end. */
interface Noted {
  readonly seen: string;
  readonly size: number;
  /** What it was made from; undefined for a folder, and for what was carried. */
  readonly content: string | undefined;
}

/** `copies`: a private folder of the runner outside the repo. */
export function openKeptCopy(copies: string): KeptCopy {
  const folder = join(copies, "kept");
  /** The copy and the folders above it that code of the agent could have exchanged. */
  let places = new Map<string, string>();
  let target = "";
  let wanted = new Map<string, string>();
  const noted = new Map<string, Noted>();
  const carried = new Map<string, readonly string[]>();

  const bytesOf = (path: string) => joinBytes(Buffer.from(target), Buffer.from(path, "latin1"));
  const carriedWith = (path: string): string | null => {
    for (const name of carried.keys()) if (path === name || path.startsWith(`${name}/`)) return name;
    return null;
  };

  function forget(): void {
    places = new Map();
    noted.clear();
    carried.clear();
  }

  /** What was carried is renewed as a whole, with the content that is in it. */
  function dropCarried(name: string): void {
    carried.delete(name);
    for (const path of noted.keys()) if (path === name || path.startsWith(`${name}/`)) noted.delete(path);
  }

  function dropChanged(names: readonly string[]): void {
    for (const name of carried.keys()) if (!names.includes(name)) dropCarried(name);
    if (carried.size === 0) return;
    for (const path of [...noted.keys(), ...wanted.keys()]) {
      if (wanted.get(path) === noted.get(path)?.content) continue;
      const name = carriedWith(path);
      if (name !== null) dropCarried(name);
    }
  }

  /** Removes what is not as it was noted, or no longer wanted. False if something cannot be removed. */
  async function sweep(folders: ReadonlySet<string>): Promise<boolean> {
    const found = new Set<string>();
    const open = [""];
    let count = 0;
    for (const at of open) {
      for (const { name } of listFolder(bytesOf(at))) {
        count += 1;
        if (count % 512 === 0) await nextTurn();
        const path = at === "" ? name.toString("latin1") : `${at}/${name.toString("latin1")}`;
        const stats = statEntry(bytesOf(path));
        if (stats === null) continue;
        const before = noted.get(path);
        const isWanted =
          carriedWith(path) !== null ||
          (stats.isDirectory() ? folders.has(path) && !wanted.has(path) : wanted.get(path) === before?.content);
        if (before === undefined || before.seen !== stampOf(stats) || !isWanted) {
          if (!removeTree(bytesOf(path))) return false;
        } else {
          found.add(path);
          if (stats.isDirectory()) open.push(path);
        }
      }
    }
    const gone = [...noted.keys()].filter((path) => !found.has(path));
    for (const path of gone) noted.delete(path);
    const broken = new Set(gone.map(carriedWith).filter((name) => name !== null));
    for (const name of broken) dropCarried(name);
    return [...broken].every((name) => removeTree(bytesOf(name)));
  }

  async function tryToSweep(names: readonly string[]): Promise<boolean> {
    if (places.size === 0 || [...places].some(([path, seen]) => seen !== folderStamp(path))) return false;
    try {
      dropChanged(names);
      return await sweep(foldersOf([...wanted.keys(), ...names]));
    } catch (error) {
      // Something changed it meanwhile, and then it is not kept.
      passMachineFault(error);
      return false;
    }
  }

  /** An agent of the same user may have put a link in its place, such as one that leads to the repo. */
  function clearLink(): void {
    if (statEntry(copies)?.isSymbolicLink() === true) removeTree(copies);
  }

  async function update(request: CopyRequest, names: readonly string[]): Promise<CopyOutcome> {
    clearLink();
    wanted = listContents(request);
    const isSame = target === request.target;
    target = request.target;
    if (!isSame || !(await tryToSweep(names.map(latinOf)))) {
      forget();
      if (!clearWay(folder)) return { kind: "refused", reason: "a file in the way of the copy cannot be removed" };
    }
    const held = (path: string) => {
      const there = noted.get(latinOf(path));
      return there?.content === undefined ? null : there.size;
    };
    const made = await makeCopy({ ...request, held });
    if (made.kind === "made") for (const path of made.leftOut) wanted.delete(latinOf(path));
    return made;
  }

  /** Gives the time of the last change of what was noted now. */
  function recordAll(names: readonly string[]): number {
    let newest = 0;
    const recordOne = (path: string): Stats | null => {
      const stats = statEntry(bytesOf(path));
      if (stats === null) return null;
      const content = stats.isDirectory() ? undefined : wanted.get(path);
      noted.set(path, { seen: stampOf(stats), size: stats.size, content });
      newest = Math.max(newest, stats.ctimeMs);
      return stats;
    };
    const made = [...wanted.keys()].filter((path) => !noted.has(path));
    for (const path of made) recordOne(path);
    const open = [...names];
    for (const path of open) {
      if (recordOne(path)?.isDirectory() !== true) continue;
      open.push(...listFolder(bytesOf(path)).map(({ name }) => `${path}/${name.toString("latin1")}`));
    }
    for (const path of foldersOf([...made, ...names])) if (!noted.has(path)) recordOne(path);
    return newest;
  }

  return {
    folder,
    update,
    leftOutOf: (name) => carried.get(latinOf(name)) ?? null,
    async note(leftOut) {
      const added = [...leftOut].map(([name, left]) => [latinOf(name), left] as const);
      const newest = recordAll(added.map(([name]) => name));
      // Where the content has a file in place of a folder above it, there was no room for it.
      for (const [name, left] of added) if (noted.has(name)) carried.set(name, left);
      const above = [target, dirname(target), folder, copies];
      places = new Map(above.map((path) => [path, folderStamp(path)]));
      if (!(await hasTicked(folder, newest))) forget();
    },
    remove() {
      clearLink();
      return removeTree(folder) ? null : folder;
    },
  };
}

/** What each file and link is made from, by its path in the copy. */
function listContents({ contents }: CopyRequest): Map<string, string> {
  const kept = [...contents].filter(([, { entry }]) => readEntry(entry) !== null);
  return new Map(
    kept.map(([path, { entry, text }]) => [latinOf(path), text === undefined ? entry : `${entry}\n${text}`]),
  );
}

function latinOf(path: string): string {
  return pathBytes(path).toString("latin1");
}
