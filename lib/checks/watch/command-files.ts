import { closeSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { passMachineFault } from "../../store/error-code.ts";
import { openRegularFile } from "../../store/read-file.ts";
import { splitShellCommands } from "./shell-commands.ts";

const mostBytes = 256 * 1024;

/** The start of a program of the repo, of a link what it leads to; null if no regular file is. Runs nothing. */
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
  } catch (error) {
    passMachineFault(error);
    // An unreadable file runs nothing that could be found.
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
