import picomatch from "picomatch";
import { statEntry } from "./folder.ts";
import { bytesIn, joinBytes, pathBytes, pathKey } from "./path-key.ts";
import { walkTree } from "./walk.ts";

/**
 * Files and links of the repo that match a glob, relative to it and sorted, hidden and ignored ones included. A
 * folder's name means all in it. Follows no link, skips `.git`; a glob outside the repo matches nothing. See `pathKey`
 * for names that are not UTF-8.
 */
export function findMatching(repo: string, globs: readonly string[]): string[] {
  const found = new Set<string>();
  for (const { base, matches } of globs.flatMap(readGlob)) {
    for (const path of pathsUnder(repo, base)) if (matches(path)) found.add(path);
  }
  return [...found].sort();
}

export function namedPaths(globs: readonly string[]): string[] {
  return globs.flatMap(readGlob).flatMap(({ base, isNamed }) => (isNamed ? [base] : []));
}

export function matcherOf(globs: readonly string[]): (path: string) => boolean {
  const read = globs.flatMap(readGlob);
  return (path) => read.some(({ matches }) => matches(path));
}

/** Samples of many kinds: a glob that matches them all, here and further down, matches everything. */
const anyNames = ["a", "Zz9", ".hidden", "_-~.long.ext", "\u00e9 \u4e00", "0/.a/b.c"];

/** Folders in which every name, even a future one, matches a glob. `matching` comes from `findMatching`. */
export function findWholeFolders(repo: string, globs: readonly string[], matching: readonly string[]): string[] {
  const read = globs.flatMap(readGlob);
  const isWhole = (folder: string): boolean =>
    read.some(({ matches }) => anyNames.every((name) => matches(folder === "" ? name : `${folder}/${name}`)));
  const isFolder = (path: string): boolean => statEntry(bytesIn(repo, path))?.isDirectory() === true;
  const candidates = [...read.map(({ base }) => base), ...matching.flatMap(foldersAbove)];
  return [...new Set(candidates)].filter((folder) => isWhole(folder) && isFolder(folder)).sort();
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_part, index) => parts.slice(0, index).join("/"));
}

function readGlob(
  glob: string,
): { readonly base: string; readonly isNamed: boolean; readonly matches: (path: string) => boolean }[] {
  const plain = glob
    .replace(/^(?:\.?\/)+/, "")
    .replace(/\/(?:\.?\/)+/g, "/")
    .replace(/\/+$/, "");
  const { base: start, isGlob, negated } = picomatch.scan(plain);
  const base = start.replace(/\\(.)/g, "$1");
  if (plain === "" || glob.startsWith("/") || base.split("/").includes("..")) return [];
  const isNamed = !isGlob && !negated;
  const matches = picomatch([plain, `${plain}/**`], { dot: true, nonegate: true });
  return [{ base, isNamed, matches: (path) => matches(pathText(path)) }];
}

/** A name that is not UTF-8 has its own bytes in it, as one character each. */
function pathText(path: string): string {
  return path.startsWith("//") ? pathBytes(path).toString("latin1") : path;
}

function pathsUnder(repo: string, base: string): string[] {
  const root = Buffer.from(repo);
  const parts = base.split("/").filter((part) => part !== "");
  if (parts.includes(".git")) return [];
  let at = Buffer.alloc(0);
  for (const [index, part] of parts.entries()) {
    at = joinBytes(at, Buffer.from(part)) as Buffer<ArrayBuffer>;
    const stats = statEntry(joinBytes(root, at));
    if (stats === null) return [];
    if (stats.isDirectory()) continue;
    // Nothing is below a file or a link.
    const isEnd = index === parts.length - 1 && (stats.isFile() || stats.isSymbolicLink());
    return isEnd ? [pathKey(at)] : [];
  }
  return walkTree(joinBytes(root, at))
    .map((path) => joinBytes(at, path))
    .filter((path) => {
      const stats = statEntry(joinBytes(root, path));
      return stats?.isFile() === true || stats?.isSymbolicLink() === true;
    })
    .map(pathKey);
}
