import { join } from "node:path";
import { findMatching } from "../../store/glob-paths.ts";
import { insideRepo, namedFile } from "./places.ts";

/** The file that make or just reads: `-f` says, or the first of the usual names. */
export function findMakefile(repo: string, folder: string, words: readonly string[]): string | null {
  const at = words.findIndex((word) => word === "-f" || word === "--file" || word === "--makefile");
  const names = at < 0 ? ["GNUmakefile", "makefile", "Makefile", "justfile", "Justfile"] : [words[at + 1] ?? ""];
  for (const name of names) {
    const path = namedFile(repo, folder, name);
    if (path !== null) return path;
  }
  return null;
}

/** The lines of all recipes as a shell would get them, those of other targets too. */
export function readRecipes(text: string): string {
  return text
    .replace(/\\\r?\n/g, " ")
    .split("\n")
    .filter((line) => /^[ \t]+\S/.test(line))
    .map((line) => line.trim().replace(/^[-+@]+/, ""))
    .join("\n");
}

const mostIncluded = 200;

/**
 * The repo paths of the files that a makefile includes, as far as no variable names them; and of those that are not
 * there, which make would read if they were.
 */
export function readIncludes(text: string, repo: string, folder: string): { files: string[]; missing: string[] } {
  const names = [...text.matchAll(/^(?:-include|sinclude|include)[ \t]+([^\n#]{1,2000})/gm)]
    .flatMap((match) => (match[1] ?? "").trim().split(/\s+/))
    .filter((name) => !name.includes("$"))
    .slice(0, mostIncluded);
  const files: string[] = [];
  const missing: string[] = [];
  for (const name of names) {
    if (/[*?[]/.test(name)) files.push(...findMatching(repo, [join(folder, name)]).slice(0, mostIncluded));
    else {
      const path = namedFile(repo, folder, name);
      const absent = insideRepo(repo, join(repo, folder, name));
      if (path !== null) files.push(path);
      else if (absent !== null) missing.push(absent);
    }
  }
  return { files, missing };
}
