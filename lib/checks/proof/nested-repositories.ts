import { join } from "node:path";
import { statEntry } from "../../store/folder.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { foldersOf } from "./listed-folders.ts";

const mostBytes = 1024 * 1024;

/**
 * The folders of listed files that are repositories of their own but not submodules, as repo paths, sorted. Git lists
 * each as one name, and a clone of the repo contains nothing of them.
 */
export function findNestedRepositories(repo: string, listed: Iterable<string>): string[] {
  const nested = [...foldersOf(listed)].filter((folder) => statEntry(join(repo, folder, ".git")) !== null);
  const submodules = nested.length === 0 ? [] : readSubmodules(repo);
  return nested.filter((folder) => !submodules.includes(folder)).sort();
}

/** Only the paths count, and a repo without .gitmodules has none. */
function readSubmodules(repo: string): string[] {
  const read = readRegularFile(join(repo, ".gitmodules"), mostBytes);
  if (read.kind !== "file") return [];
  return [...read.bytes.toString("utf8").matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)].map((match) => match[1] ?? "");
}
