import picomatch from "picomatch";
import { lookAt } from "./folder.ts";
import { joinBytes, pathBytes, pathKey } from "./path-key.ts";
import { walkTree } from "./walk.ts";

/**
 * The files and links of the repo that match one of the globs, relative to it and sorted; hidden ones too, and
 * whether git ignores them or not. A glob that names a folder means all that is in it. Links are not followed,
 * `.git` is not entered, and what a glob says about places outside the repo matches nothing. See `pathKey` for names
 * that are not UTF-8.
 */
export function findMatching(repo: string, globs: readonly string[]): string[] {
  const found = new Set<string>();
  for (const { base, matches } of globs.flatMap(readGlob)) {
    for (const path of pathsUnder(repo, base)) if (matches(path)) found.add(path);
  }
  return [...found].sort();
}

/** The repo paths that the globs name without a wildcard, whether they are there or not. */
export function namedPaths(globs: readonly string[]): string[] {
  return globs.flatMap(readGlob).flatMap(({ base, isNamed }) => (isNamed ? [base] : []));
}

/** Whether one of the globs means a repo path, whether it is there or not. */
export function matcherOf(globs: readonly string[]): (path: string) => boolean {
  const read = globs.flatMap(readGlob);
  return (path) => read.some(({ matches }) => matches(path));
}

/** Names of many kinds: a glob that all of them match, here and further down, leaves nothing out. */
const anyNames = ["a", "Zz9", ".hidden", "_-~.long.ext", "\u00e9 \u4e00", "0/.a/b.c"];

/**
 * The folders of the repo in which every name matches one of the globs, those that nobody has used yet included; also
 * folders in such folders. `matching` is what `findMatching` found.
 */
export function findWholeFolders(repo: string, globs: readonly string[], matching: readonly string[]): string[] {
  const read = globs.flatMap(readGlob);
  const isWhole = (folder: string): boolean =>
    read.some(({ matches }) => anyNames.every((name) => matches(folder === "" ? name : `${folder}/${name}`)));
  const isFolder = (path: string): boolean =>
    lookAt(joinBytes(Buffer.from(repo), pathBytes(path)))?.isDirectory() === true;
  const candidates = [...read.map(({ base }) => base), ...matching.flatMap(foldersAbove)];
  return [...new Set(candidates)].filter((folder) => isWhole(folder) && isFolder(folder)).sort();
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_part, index) => parts.slice(0, index).join("/"));
}

interface ReadGlob {
  /** Its first parts, as far as they name one place. */
  readonly base: string;
  /** There are no wildcards, so the base is all of it. */
  readonly isNamed: boolean;
  readonly matches: (path: string) => boolean;
}

function readGlob(glob: string): ReadGlob[] {
  const plain = glob.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, "");
  const { base: start, isGlob, negated } = picomatch.scan(plain);
  const base = start.replace(/\\(.)/g, "$1");
  if (plain === "" || glob.startsWith("/") || base.split("/").includes("..")) return [];
  const isNamed = !isGlob && !negated;
  return [{ base, isNamed, matches: picomatch([plain, `${plain}/**`], { dot: true, nonegate: true }) }];
}

function pathsUnder(repo: string, base: string): string[] {
  const root = Buffer.from(repo);
  const parts = base.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes(".git")) return [];
  let at = Buffer.alloc(0);
  for (const [index, part] of parts.entries()) {
    at = joinBytes(at, Buffer.from(part)) as Buffer<ArrayBuffer>;
    const stats = lookAt(joinBytes(root, at));
    if (stats === null) return [];
    if (stats.isDirectory()) continue;
    // A file or a link; under it there is nothing, wherever the link leads.
    const isEnd = index === parts.length - 1 && (stats.isFile() || stats.isSymbolicLink());
    return isEnd ? [pathKey(at)] : [];
  }
  return walkTree(joinBytes(root, at))
    .map((path) => joinBytes(at, path))
    .filter((path) => {
      const stats = lookAt(joinBytes(root, path));
      return stats?.isFile() === true || stats?.isSymbolicLink() === true;
    })
    .map(pathKey);
}
