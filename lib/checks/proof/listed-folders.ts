import { dirname, join, relative } from "node:path";
import { findGitTop } from "../../git/place.ts";

/** The folders above these repo paths, without the repo itself; those whose names are not UTF-8 are left out. */
export function foldersOf(listed: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of listed) {
    if (path.startsWith("//")) continue;
    for (let at = dirname(path); at !== "." && !folders.has(at); at = dirname(at)) folders.add(at);
  }
  return folders;
}

/** `..`, `../..` and so on, up to the top of the work tree of git that the repo is in. */
export function foldersAbove(repo: string): string[] {
  const way = relative(repo, findGitTop(repo) ?? repo);
  const steps = way === "" ? [] : way.split("/");
  return steps.map((_step, index) => join(...steps.slice(0, index + 1)));
}
