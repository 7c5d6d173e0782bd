import {
  constants,
  copyFileSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { carryBounds, startMeter } from "../../git/content-bounds.ts";
import { errorCode, passMachineFault, storeError } from "../../store/error-code.ts";
import { leadsToFolder, statEntry } from "../../store/folder.ts";
import { joinBytes, pathKey } from "../../store/path-key.ts";
import { listFolder } from "../../store/walk.ts";
import type { CopyRequest } from "./clean-copy.ts";
import { leadIntoCopy } from "./copy-paths.ts";
import { digestDependency } from "./digest-dependency.ts";
import { foldersAbove, foldersOf } from "./listed-folders.ts";

/**
 * The folders and files that git ignores and a copy has all the same: beside listed files, and above the repo as far
 * as its work tree of git goes, by these names; a name with a slash is a path of the repo. A link to a folder counts as
 * one. Repo paths, sorted.
 */
export function findCarried(repo: string, listed: Iterable<string>, names: readonly string[]): string[] {
  const known = new Set(listed);
  const folders = ["", ...foldersOf(known), ...foldersAbove(repo)];
  const plain = names.map((name) => name.replace(/\/+$/, ""));
  const candidates = new Set([
    ...plain.filter((name) => name.includes("/")),
    ...folders.flatMap((folder) => plain.filter((name) => !name.includes("/")).map((name) => join(folder, name))),
  ]);
  return [...candidates]
    .filter((path) => !isWithinCarried(path, plain) && !known.has(path) && isCarried(join(repo, path)))
    .sort();
}

/** The names that match nothing in the repo. */
export function missingEntries(repo: string, listed: Iterable<string>, names: readonly string[]): string[] {
  const found = findCarried(repo, listed, names);
  return names.filter((name) => {
    const plain = name.replace(/\/+$/, "");
    return !found.some((path) => path === plain || path.endsWith(`/${plain}`));
  });
}

function isCarried(path: string): boolean {
  return leadsToFolder(path) || statEntry(path)?.isFile() === true;
}

/** A folder of dependencies within another one comes along with that one. */
function isWithinCarried(path: string, names: readonly string[]): boolean {
  return dirname(path)
    .split(sep)
    .some((part) => names.includes(part));
}

export interface CarryRequest extends Pick<CopyRequest, "repo" | "target" | "signal"> {
  /** A repo path, see `findCarried`. */
  readonly folder: string;
  /** The paths that git lists in the repo now. They are content, not dependencies, so only `makeCopy` copies them. */
  readonly listed: { has(path: string): boolean };
  /** The required content of the folder, see hold-dependencies.ts; null: its current content is copied. */
  readonly pins: { holds(path: string, description: string | null): boolean } | null;
}

/** Where turbo and nx keep results of checks, which they replay in place of a run. */
const replayed = /(?:^|\/)node_modules\/\.cache\/(?:nx|turbo)$/;
/** With these tsc takes for built what the copy lacks, such as dist. */
const builtFrom = /(?:^|\/)node_modules\/(?:\.\w+\/(?:.+\/)?)?[^/]*\.tsbuildinfo$/;

/**
 * Copies one folder of dependencies; what the copy has already stays. Gives why it is too large, or null, and the repo paths
 * that were left out, since they are not as they were pinned.
 */
export async function copyCarried(
  request: CarryRequest,
): Promise<{ readonly problem: string | null; readonly leftOut: readonly string[] }> {
  const { repo, folder, target, listed, pins, signal } = request;
  const leftOut: string[] = [];
  const meter = startMeter(folder, carryBounds, () => performance.now());
  const [root, copy] = [Buffer.from(repo), Buffer.from(target)];
  const first = Buffer.from(folder);
  const top = statEntry(joinBytes(root, first));
  if (top?.isSymbolicLink() === true) {
    copyLink(root, copy, first);
    return { problem: null, leftOut };
  }
  if (top?.isFile() === true) {
    if (pins?.holds(pathKey(first), digestDependency(joinBytes(root, first))) === false)
      return { problem: null, leftOut: [pathKey(first)] };
    if (openFolder(joinBytes(copy, Buffer.from(dirname(folder))))) copyOne(root, copy, first, top);
    return { problem: null, leftOut };
  }
  const open: Buffer[] = [first];
  let count = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const from = joinBytes(root, at);
    if (!openFolder(joinBytes(copy, at))) continue;
    for (const { name } of listReadable(from)) {
      count += 1;
      if (count % 64 === 0) await nextTurn();
      if (signal?.aborted === true) return { problem: null, leftOut };
      const path = joinBytes(at, name);
      const stats = statEntry(joinBytes(from, name));
      if (stats?.isDirectory() === true) {
        if (!replayed.test(pathKey(path))) open.push(path);
        continue;
      }
      if (listed.has(pathKey(path)) || builtFrom.test(pathKey(path))) continue;
      const tooMuch = meter.add(stats?.isFile() === true ? stats.size : 0);
      if (tooMuch !== null) return { problem: tooMuch, leftOut };
      if (stats === null || !(stats.isFile() || stats.isSymbolicLink())) continue;
      if (pins?.holds(pathKey(path), digestDependency(joinBytes(root, path))) === false) {
        leftOut.push(pathKey(path));
      } else if (stats.isFile()) copyOne(root, copy, path, stats);
      else copyLink(root, copy, path);
    }
  }
  return { problem: null, leftOut };
}

/** Every file and link of what is carried, as repo paths; nothing if the folder is itself a link. */
export function* listCarried(repo: string, folder: string): Generator<Buffer> {
  const root = Buffer.from(repo);
  if (statEntry(join(repo, folder))?.isFile() === true) yield Buffer.from(folder);
  const open: Buffer[] = statEntry(join(repo, folder))?.isDirectory() === true ? [Buffer.from(folder)] : [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { name } of listReadable(joinBytes(root, at))) {
      const path = joinBytes(at, name);
      const stats = statEntry(joinBytes(root, path));
      if (stats?.isDirectory() === true) open.push(path);
      else if (stats?.isFile() === true || stats?.isSymbolicLink() === true) yield path;
    }
  }
}

/** False if the copy has a file or a link there, which stays. */
function openFolder(path: Buffer): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o755 });
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EEXIST" && code !== "ENOTDIR") throw storeError("make the folder", pathKey(path), error);
  }
  return statEntry(path)?.isDirectory() === true;
}

function listReadable(folder: Buffer): ReturnType<typeof listFolder> {
  try {
    return listFolder(folder);
  } catch (error) {
    if (errorCode(error) === "EACCES") return [];
    throw storeError("read", pathKey(folder), error);
  }
}

/**
 * Shares the blocks if the file system can; a write to the copy never reaches the original. The file keeps its time, so that
 * make builds again what is older than the sources of the copy, and Python need not compile what it did already.
 */
function copyOne(repo: Buffer, copy: Buffer, path: Buffer, { atime, mtime }: Stats): void {
  const [from, to] = [joinBytes(repo, path), joinBytes(copy, path)];
  // An exception for each file that is there would cost more than the look.
  if (statEntry(to) !== null) return;
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    leadIntoCopy(path, to, repo, copy);
    utimesSync(to, atime, mtime);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EEXIST" && code !== "EACCES" && code !== "ENOENT") throw storeError("copy", pathKey(to), error);
  }
}

/**
 * A link into the repo leads into the copy, so that nothing can write to the repo through it, whatever other name the
 * link has for the repo. One that leaves the repo, such as the interpreter of a virtual environment, leads where it
 * led.
 */
function copyLink(repoBytes: Buffer, copyBytes: Buffer, path: Buffer): void {
  // Paths as Latin-1 text of their bytes: only slashes and dots matter.
  const [repo, copy] = [repoBytes.toString("latin1"), copyBytes.toString("latin1")];
  const from = joinBytes(repoBytes, path);
  const to = joinBytes(copyBytes, path);
  if (statEntry(to) !== null) return;
  try {
    const text = readlinkSync(from, { encoding: "buffer" }).toString("latin1");
    const named = resolve(dirname(from.toString("latin1")), text);
    const inside = [named, realOf(named)].find((one) => one === repo || one.startsWith(repo + sep));
    const led =
      inside === undefined ? named : relative(dirname(to.toString("latin1")), join(copy, relative(repo, inside)));
    symlinkSync(Buffer.from(led === "" ? "." : led, "latin1"), to);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EEXIST" && code !== "ENOENT") throw storeError("copy", pathKey(to), error);
  }
}

/** With the names of links resolved as far as there is something. */
function realOf(path: string): string {
  try {
    return realpathSync(Buffer.from(path, "latin1"), { encoding: "buffer" }).toString("latin1");
  } catch (error) {
    passMachineFault(error);
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}
