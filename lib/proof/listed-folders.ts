import { dirname } from "node:path";

/** The folders above these repo paths, without the repo itself; those whose names are not UTF-8 are left out. */
export function foldersOf(listed: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of listed) {
    if (path.startsWith("//")) continue;
    for (let at = dirname(path); at !== "." && !folders.has(at); at = dirname(at)) folders.add(at);
  }
  return folders;
}
