import { accessSync, constants } from "node:fs";
import { realSoFar, statEntry } from "../store/folder.ts";
import { joinBytes, pathKey } from "../store/path-key.ts";
import { isDebris } from "../store/temporary-file.ts";
import { orElse } from "../text/attempt.ts";
import { findGitDir, type GitPlace } from "./place.ts";

export interface SortedPaths {
  readonly present: readonly Buffer[];
  /** Missing, or reached only through a link. */
  readonly gone: readonly Buffer[];
  readonly left: readonly { readonly path: Buffer; readonly why: string }[];
}

const nestedWhy = "in a repository of its own";

/** Follows no link. `maxBytes` bounds one file. Leaves out nested repositories and submodules. */
export function sortPaths(place: GitPlace, paths: readonly Buffer[], maxBytes = Number.POSITIVE_INFINITY): SortedPaths {
  const present: Buffer[] = [];
  const gone: Buffer[] = [];
  const left: { path: Buffer; why: string }[] = [];
  const top = Buffer.from(place.top);
  const folders = new Map<string, "folder" | "nested" | "none">([["", "folder"]]);

  function folderAt(path: Buffer): "folder" | "nested" | "none" {
    const id = path.toString("latin1");
    const known = folders.get(id);
    if (known !== undefined) return known;
    const above = folderAt(parentOf(path));
    const absolute = joinBytes(top, path);
    let kind = above;
    if (above === "folder") {
      const isFolder = statEntry(absolute)?.isDirectory() === true;
      kind = !isFolder ? "none" : findGitDir(absolute.toString("utf8")) === null ? "folder" : "nested";
    }
    folders.set(id, kind);
    return kind;
  }

  for (const path of distinct(paths)) {
    const parent = folderAt(parentOf(path));
    const absolute = joinBytes(top, path);
    const stats = parent === "folder" ? statEntry(absolute) : null;
    if (parent === "nested") left.push({ path, why: nestedWhy });
    else if (stats === null) gone.push(path);
    else if (stats.isSymbolicLink()) present.push(path);
    else if (!stats.isFile()) left.push({ path, why: stats.isDirectory() ? "a folder" : "not a regular file" });
    else if (stats.size > maxBytes) left.push({ path, why: `${stats.size} bytes` });
    else if (!isReadable(absolute)) left.push({ path, why: "not readable" });
    else present.push(path);
  }
  return { present, gone, left };
}

/** The runner's moving parts and git's own folder are no contents. */
export function isRuntime(path: Buffer): boolean {
  const parts = path.toString("latin1").split("/");
  return parts.some((part) => part === ".task-phase" || part === ".git") || isDebris(parts.at(-1) ?? "");
}

export function joinNul(paths: readonly Buffer[]): Buffer {
  const nul = Buffer.from([0]);
  return Buffer.concat(paths.flatMap((path) => [path, nul]));
}

export function insideOf(place: GitPlace, folder: string): Buffer | null {
  const real = realSoFar(folder);
  if (real === place.top) return Buffer.alloc(0);
  const above = place.top === "/" ? "/" : `${place.top}/`;
  return real.startsWith(above) ? Buffer.from(real.slice(above.length)) : null;
}

/** Tells the code, by its path from the top, from the runner's moving parts and what is in these absolute paths. */
export function codeFilter(place: GitPlace, leaveOut: readonly string[]): (path: Buffer) => boolean {
  const excluded = leaveOut.flatMap((folder) => insideOf(place, folder) ?? []);
  return (path) => !isRuntime(path) && !excluded.some((folder) => isUnder(path, folder));
}

/** The path from the top as `pathKey` from this folder, which it is in. */
export function keyInside(inside: Buffer, path: Buffer): string {
  return pathKey(inside.length === 0 ? path : path.subarray(inside.length + 1));
}

export function distinct(paths: readonly Buffer[]): Buffer[] {
  return [...new Map(paths.map((path) => [path.toString("latin1"), path])).values()];
}

function parentOf(path: Buffer): Buffer {
  return path.subarray(0, Math.max(0, path.lastIndexOf(0x2f)));
}

function isReadable(path: Buffer): boolean {
  return orElse(() => {
    accessSync(path, constants.R_OK);
    return true;
  }, false);
}

/** The folder itself counts; the top contains everything. */
export function isUnder(path: Buffer, folder: Buffer): boolean {
  if (folder.length === 0) return true;
  const starts = path.subarray(0, folder.length).equals(folder);
  return starts && (path.length === folder.length || path[folder.length] === 0x2f);
}

/** Whether the path or a folder above it is in the set, which may have thousands. */
export function holdsAbove(folders: ReadonlySet<string>, path: string): boolean {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1))
    if (folders.has(path.slice(0, end))) return true;
  return folders.has(path);
}
