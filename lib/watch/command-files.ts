import { closeSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { openRegularFile } from "../store/read-file.ts";
import { namedFile } from "./places.ts";
import { splitShellCommands } from "./shell-commands.ts";

const mostBytes = 256 * 1024;

/** The start of a program of the repo, of a link what it leads to; null where no regular file is. Runs nothing. */
export function readProgram(repo: string, path: string): string | null {
  try {
    const opened = openRegularFile(realpathSync(join(repo, path)));
    if (opened.kind !== "open") return null;
    try {
      const bytes = Buffer.alloc(Math.min(mostBytes, opened.stats.size));
      return bytes.toString("utf8", 0, readSync(opened.descriptor, bytes, 0, bytes.length, 0)).replace(/^\ufeff/, "");
    } finally {
      closeSync(opened.descriptor);
    }
  } catch {
    // What cannot be read runs nothing that could be told.
    return null;
  }
}

/** The command by which the first line of a program finds its interpreter on PATH; empty for a fixed path. */
export function readShebang(text: string): readonly string[] {
  const line = /^#![ \t]*\S*\/env[ \t]+([^\n]{1,1000})/.exec(text)?.[1];
  const words = line === undefined ? [] : (splitShellCommands(line.replace(/^-S[ \t]*/, ""))[0] ?? []);
  const at = words.findIndex((word) => !/^-|^\w+=/.test(word));
  return at < 0 ? [] : words.slice(at);
}

/** By its name or its first line. */
export function isShellFile(path: string, text: string): boolean {
  return /\.(?:sh|bash|zsh)$/.test(path) || /^#![^\n]*\b(?:ba|z|da|k)?sh\b/.test(text);
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
