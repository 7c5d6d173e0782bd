import { readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { passMachineFault } from "../../store/error-code.ts";
import { findMatching } from "../../store/glob-paths.ts";
import { openRegularFile } from "../../store/read-file.ts";
import { withFile } from "../../store/with-file.ts";
import { insideRepo, namedFile } from "./places.ts";
import { readShellCommands } from "./shell-commands.ts";

const mostBytes = 256 * 1024;

/** The start of a program of the repo, of a link what it leads to; null if no regular file is. Runs nothing. */
export function readProgram(repo: string, path: string): string | null {
  try {
    const opened = openRegularFile(realpathSync(join(repo, path)));
    if (opened.kind !== "open") return null;
    return withFile(opened.descriptor, () => {
      const bytes = Buffer.alloc(Math.min(mostBytes, opened.stats.size));
      return bytes.toString("utf8", 0, readSync(opened.descriptor, bytes, 0, bytes.length, 0)).replace(/^\ufeff/, "");
    });
  } catch (error) {
    passMachineFault(error);
    // An unreadable file runs nothing that could be found.
    return null;
  }
}

/** The command by which the first line of a program finds its interpreter on PATH; empty for a fixed path. */
export function readShebang(text: string): readonly string[] {
  const line = /^#![ \t]*\S*\/env[ \t]+([^\n]{1,1000})/.exec(text)?.[1];
  const words = line === undefined ? [] : (readShellCommands(line.replace(/^-S[ \t]*/, ""))[0]?.words ?? []);
  const at = words.findIndex((word) => !/^-|^\w+=/.test(word));
  return at < 0 ? [] : words.slice(at);
}

/** By its name or its first line. */
export function isShellFile(path: string, text: string): boolean {
  return /\.(?:sh|bash|zsh)$/.test(path) || /^#![^\n]*\b(?:ba|z|da|k)?sh\b/.test(text);
}

/**
 * The files that a shell text sources from its own folder or from one that a variable names, relative to that folder:
 * as `env.sh` of `. "$(dirname "$0")/env.sh"` and of `source "$HERE/env.sh"`.
 */
export function readSourcedBeside(text: string): string[] {
  const found = text.matchAll(
    /(?:^|[\s;&|])(?:\.|source)[ \t]+"?(?:\$\(dirname[^)\n]{1,100}\)|`dirname[^`\n]{1,100}`|\$\{[^}\n]{1,100}\}|\$\w{1,60})\/([\w./-]{1,500})/gm,
  );
  return [...found].map((match) => match[1] ?? "");
}

const mostFolders = 20;
/** The prefix of the folder: a variable or a substitution, which may be the repo and so is treated as the repo. */
const fronts = /^(?:\.\/|\$\([^)]{1,60}\)\/|\$\{[^}]{1,60}\}\/|\$\w{1,60}\/|`pwd`\/)/;

/** The repo folders that a text of the checks puts on PATH, as `bin` of `export PATH := $(CURDIR)/bin:$(PATH)`. */
export function readPathFolders(text: string): string[] {
  const values = [...text.matchAll(/(?:^|[\s;&|(])PATH[ \t]{0,9}[:?+]{0,2}=[ \t]{0,9}([^\n;]{1,1000})/g)];
  const parts = values.flatMap(([, value = ""]) => value.replace(/["']/g, "").split(":"));
  const folders = parts
    .map((part) => part.trim().replace(fronts, "").replace(/\/+$/, ""))
    .filter((part) => /^\.?\w[\w.-]*(?:\/[\w-][\w.-]*){0,9}$/.test(part) && !/(?:^|\/)node_modules\//.test(part));
  return [...new Set(folders)].slice(0, mostFolders);
}

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
