import { openSync, readSync } from "node:fs";
import { basename, resolve } from "node:path";
import { findExecutable, findUnusable } from "../../process/find-executable.ts";
import { lookOr } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { withFile } from "../../store/with-file.ts";
import { nearestWord } from "../../text/nearest.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { shorten } from "../../text/shorten.ts";
import { yamlList } from "../../text/yaml-string.ts";

/** Why a command cannot start, and what to write instead. */
export interface StartProblem {
  /** Follows "the command of NAME". */
  readonly problem: string;
  readonly fix: string;
  /** The command that would do it; null if only a person knows. */
  readonly instead: readonly string[] | null;
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
  if (found !== null) return judgeScript(word, found, { ...place, searchPath }) ?? judgeRest(command, place.repo);
  const shown = `is not an executable: ${shorten(word, 200)}`;
  const inShell = ["sh", "-c", command.join(" ")];
  if (/^[A-Za-z_]\w*=/.test(word))
    return writeInstead(`${shown}, which sets a variable in a shell`, ["env", ...command]);
  if (shellWords.has(word)) return writeInstead(`${shown}, which only a shell knows`, inShell);
  if (/^~(?:\/|$)|^\$/.test(word)) return writeInstead(`${shown}, which only a shell expands`, inShell);
  if (/\s/.test(word)) return judgeLine(word, rest, shown);
  if (/[*?[]/.test(word))
    return writeInstead(`${shown}; no shell is used, so a pattern is not expanded`, inShell, ", or name the file");
  return { problem: shown, fix: fixMissing(word, place.repo, searchPath), instead: null };
}

/** The program starts, and would get words that only a shell understands. */
function judgeRest(command: readonly string[], repo: string): StartProblem | null {
  const said = findShellWord(command, repo);
  if (said === null) return null;
  return writeInstead(`needs a shell, and none is used: ${said}`, ["sh", "-c", joinLine(command)]);
}

/** The line that a person had in mind: words that the shell would take apart keep their quotes, the others act. */
function joinLine(command: readonly string[]): string {
  return command.map((word) => (/[\s"'`;()]/.test(word) ? quoteWord(word) : word)).join(" ");
}

/** One word that contains a whole command line. */
function judgeLine(word: string, rest: readonly string[], shown: string): StartProblem {
  const plain = !/[|&;<>()`$"'\\*?[\]{}~#]/.test(word);
  const words = plain ? [...word.trim().split(/\s+/), ...rest] : ["sh", "-c", [word, ...rest].join(" ")];
  return writeInstead(`${shown}, one word with a space in it`, words);
}

/** Programs that tests are run with: a word like one of them is a slip of the hand, and not a missing program. */
const knownPrograms =
  "npm npx pnpm yarn bun deno node python3 python pytest tox uv poetry go cargo make mvn gradle bundle rake dotnet composer php ruby mix just bash sh".split(
    " ",
  );

function fixMissing(word: string, repo: string, searchPath: string): string {
  const unusable = findUnusable(word, repo, searchPath);
  if (unusable !== null) return `${unusable} exists but cannot be executed; for a script: chmod +x ${unusable}`;
  if (word.includes("/")) return `it is looked for from the repo, ${repo}`;
  // pnpm is no slip of the hand that meant npm.
  const isThere = (name: string) => findExecutable(name, repo, searchPath) !== null;
  const near = knownPrograms.includes(word) ? null : nearestWord(word, knownPrograms.filter(isThere));
  const meant = near === null ? "" : `did you mean ${near}? Else `;
  return `${meant}install it, or write another command; it is looked for on PATH`;
}

function writeInstead(problem: string, instead: readonly string[], more = ""): StartProblem {
  return { problem, fix: `write \`command: ${yamlList(instead)}\`${more}`, instead };
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
  const isWindows = needs.endsWith("\r");
  const name = shorten(needs.trimEnd(), 200);
  return {
    problem: isWindows
      ? `cannot start: the first line of ${word} ends as on Windows, with a carriage return behind ${name}`
      : `cannot start: the first line of ${word} names ${name}, which does not exist`,
    fix: isWindows
      ? `give it the line ends of Unix: sed -i 's/\\r$//' ${path}`
      : `install ${name}, or correct the first line of ${path}`,
    instead: null,
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
  const words = /^#!\s*(.*)$/s.exec(line)?.[1]?.split(/[ \t]+/) ?? [];
  return words.filter((word) => word !== "").slice(0, 2);
}

/** As many as Linux reads of that line; none if the file can be executed and not read. */
function firstBytes(path: string): string {
  const bytes = Buffer.alloc(256);
  const read = (file: number) => bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0));
  return lookOr(() => withFile(openSync(path, "r"), read), "");
}

/** Programs that take such words as their own: patterns, scripts, comparisons. */
const ownWords = new Set(
  "sh bash dash zsh ksh fish test [ expr find awk gawk mawk jq yq tr cut grep egrep sed perl echo printf envsubst".split(
    " ",
  ),
);
const joining = new Set(["&&", "||", "|", "|&", ";", ">", ">>", "<", "2>", "2>&1", "&>"]);

/** Programs whose first plain word is one file, or whose plain words all are: none of them expands a pattern. */
const runsFile = /^(?:node|nodejs|python[\d.]*|ruby|deno|tsx|ts-node)$/;
const runsFiles = /^(?:pytest|py\.test)$/;
/** With these a word is text, a module or a pattern of the program's own. */
const otherModes = /^(?:-e|-c|-p|--eval|--print|--test|--run|-m)$/;

/** The word of a command that only a shell would have acted on, and what it would have done; null if there is none. */
function findShellWord(command: readonly string[], repo: string): string | null {
  const words = withoutEnv(command);
  const [program = "", ...rest] = words;
  const name = basename(program);
  if (ownWords.has(name)) return null;
  const joined = rest.slice(0, -1).find((word) => joining.has(word)) ?? rest.find((word) => word === "2>&1");
  if (joined !== undefined) return `${joined} joins commands or redirects output`;
  const variable = rest.find((word) => /^\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})(?:\/|$)/.test(word));
  if (variable !== undefined) return `${shorten(variable)} stands for the value of a variable`;
  const home = rest.find((word) => /^~(?:\/|$)/.test(word) && statEntry(resolve(repo, word)) === null);
  if (home !== undefined) return `${shorten(home)} leads to the home folder`;
  const pattern = findPattern(name, rest, repo);
  return pattern === undefined ? null : `${shorten(pattern)} stands for the files that match`;
}

function findPattern(name: string, rest: readonly string[], repo: string): string | undefined {
  const pytest = rest.indexOf("pytest");
  const isModule = rest[pytest - 1] === "-m";
  const files = runsFiles.test(name) ? rest : isModule ? rest.slice(pytest + 1) : null;
  const isPattern = (word: string) =>
    /[*?]/.test(word) && !word.startsWith("-") && statEntry(resolve(repo, word)) === null;
  // What follows a flag may be its value.
  if (files !== null) return files.find((word, index) => isPattern(word) && !files[index - 1]?.startsWith("-"));
  if (!runsFile.test(name) || rest.some((word) => otherModes.test(word))) return undefined;
  const first = rest.find((word) => !word.startsWith("-"));
  return first !== undefined && isPattern(first) ? first : undefined;
}

/** What `env A=1 npm test` starts. */
function withoutEnv(command: readonly string[]): readonly string[] {
  if (basename(command[0] ?? "") !== "env") return command;
  const at = command.findIndex((word, index) => index > 0 && !/^[A-Za-z_]\w*=/.test(word));
  return at === -1 ? [] : command.slice(at);
}
