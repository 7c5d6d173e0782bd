import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { findExecutable, findUnusable } from "../process/find-executable.ts";
import { shorten } from "../text/shorten.ts";
import { yamlList } from "../text/yaml-string.ts";

/** Why a command cannot start, and what to write instead. */
export interface StartProblem {
  /** Follows "the command of NAME". */
  readonly problem: string;
  readonly fix: string;
}

export interface StartPlace {
  /** Absolute: where the command runs. */
  readonly repo: string;
  /** The PATH that the command gets; undefined: none is set. */
  readonly searchPath: string | undefined;
}

/** Words that a shell knows itself, and no program of that name does the same. */
const shellWords = new Set(["cd", "export", "source", ".", "set", "unset", "alias", "eval", "exec", "if", "for", "!"]);

/** The reason why a check's command cannot start; null if it can. Runs nothing. */
export function judgeStart(command: readonly string[], place: StartPlace): StartProblem | null {
  const [word = "", ...rest] = command;
  // Without PATH the system looks in these: execvp(3).
  const searchPath = place.searchPath ?? "/bin:/usr/bin";
  const found = findExecutable(word, place.repo, searchPath);
  if (found !== null) return judgeScript(word, found, { ...place, searchPath });
  const shown = `is not an executable: ${shorten(word, 200)}`;
  if (/^[A-Za-z_]\w*=/.test(word))
    return { problem: `${shown}, which sets a variable in a shell`, fix: writeCommand(["env", ...command]) };
  if (shellWords.has(word))
    return { problem: `${shown}, which only a shell knows`, fix: writeCommand(["sh", "-c", command.join(" ")]) };
  if (/\s/.test(word)) return judgeLine(word, rest, shown);
  if (/[*?[]/.test(word))
    return {
      problem: `${shown}; no shell is used, so a pattern is not expanded`,
      fix: `${writeCommand(["sh", "-c", command.join(" ")])}, or name the file`,
    };
  return { problem: shown, fix: fixMissing(word, place.repo, searchPath) };
}

/** One word that contains a whole command line. */
function judgeLine(word: string, rest: readonly string[], shown: string): StartProblem {
  const plain = !/[|&;<>()`$"'\\*?[\]{}~#]/.test(word);
  const words = plain ? [...word.trim().split(/\s+/), ...rest] : ["sh", "-c", [word, ...rest].join(" ")];
  return { problem: `${shown}, one word with a space in it`, fix: writeCommand(words) };
}

function fixMissing(word: string, repo: string, searchPath: string): string {
  const unusable = findUnusable(word, repo, searchPath);
  if (unusable !== null) return `${unusable} exists but cannot be executed; for a script: chmod +x ${unusable}`;
  return word.includes("/")
    ? `it is looked for from the repo, ${repo}`
    : "install it, or correct `command`; it is looked for on PATH";
}

function writeCommand(words: readonly string[]): string {
  return `write \`command: ${yamlList(words)}\``;
}

/** A script starts only if the program of its first line is there. */
function judgeScript(
  word: string,
  path: string,
  { repo, searchPath }: StartPlace & { searchPath: string },
): StartProblem | null {
  const [program, argument] = readInterpreter(path);
  if (program === undefined) return null;
  const needs = findExecutable(program, repo, "") === null ? program : missingUnderEnv(program, argument);
  if (needs === null) return null;
  return {
    problem: `cannot start: the first line of ${word} names ${shorten(needs, 200)}, which does not exist`,
    fix: `install ${shorten(needs, 200)}, or correct the first line of ${path}`,
  };

  function missingUnderEnv(interpreter: string, name: string | undefined): string | null {
    if (basename(interpreter) !== "env" || name === undefined || name.startsWith("-") || name.includes("="))
      return null;
    return findExecutable(name, repo, searchPath) === null ? name : null;
  }
}

/** The program of a `#!` line and the first word after it; empty if the file has no such line. */
function readInterpreter(path: string): string[] {
  const line = firstBytes(path).split("\n", 1)[0] ?? "";
  return line.startsWith("#!")
    ? line
        .slice(2)
        .trim()
        .split(/[ \t]+/)
        .filter((word) => word !== "")
        .slice(0, 2)
    : [];
}

/** As many as Linux reads of that line; none if the file can be executed and not read. */
function firstBytes(path: string): string {
  const bytes = Buffer.alloc(256);
  try {
    const descriptor = openSync(path, "r");
    try {
      return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}
