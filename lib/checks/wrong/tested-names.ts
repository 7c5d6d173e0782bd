import { parse } from "node:path";
import { type ChangedFile, changedLines } from "./changed-lines.ts";
import { linesOf, remember } from "./edit.ts";
import { functionNode } from "./empty-functions.ts";
import { languageOf, ofVitest, type Parsed, parseSource, walkTree } from "./grammars.ts";

/** The tests that a work changed or that fail without it. */
export interface WorkTests {
  readonly files: readonly ChangedFile[];
  /** The names of those that fail without the work. */
  readonly failing: readonly string[];
}

/**
 * How likely the tests are to notice a wrong version of a line. 0: it names something that is new with the work, and they
 * name it too. 1: it is in a function that they name. 2: neither.
 */
export type Nearness = 0 | 1 | 2;

/** A test is taken to be at most so many lines long. */
const longestTest = 60;
/** Up to and from a function, what may hold its name. */
const longestHead = 1_000;
/** A shorter name is no part of another by more than chance. */
const shortestPart = 5;
const word = /[\p{L}_$][\p{L}\p{N}_$]+/gu;
const ofNothing = new Set(["self", "cls", "this"]);

interface NearTests {
  /** Gives the nearness of an offset of a source. */
  readonly nearnessIn: (parsed: Parsed | null, text: string) => (line: number, from: number) => Nearness;
  /** Of a work of more files those that the tests name, then those whose changed lines share most words with them. */
  readonly nearest: (most: number) => readonly ChangedFile[];
}

/** `work`: all files that the work changed. */
export async function measureNearness({ files, failing }: WorkTests, work: readonly ChangedFile[]): Promise<NearTests> {
  const named = new Set<string>();
  for (const file of files) {
    const { path, text, before } = innerTests(file);
    const words = wordsByLine(await parseSource(path, text), text);
    const changed = changedLines(before, text);
    const isNear = besideNamed(text, failing);
    for (let line = 1; line <= text.split("\n").length; line += 1)
      if (changed.has(line) || isNear(line)) for (const one of words(line)) named.add(one);
  }
  const old = ` ${work.map(({ before }) => wordsIn(before ?? "").join(" ")).join(" ")} `;
  const isOld = (name: string) => old.includes(name.length < shortestPart ? ` ${name} ` : name);
  const fresh = [...named].filter((name) => !isOld(name) && !ofNothing.has(name));
  const isFresh = (one: string) =>
    fresh.some((name) => name === one || (name.length >= shortestPart && one.includes(name)));
  const nearnessIn: NearTests["nearnessIn"] = (parsed, text) => {
    const words = wordsByLine(parsed, text);
    const freshIn = remember((line: number) => [...words(line)].some(isFresh));
    return (line, from) => {
      if (freshIn(line)) return 0;
      return parsed !== null && functionsAround(parsed, from).some((name) => named.has(name)) ? 1 : 2;
    };
  };
  const nearest: NearTests["nearest"] = (most) => {
    if (work.length <= most) return work;
    const inTests = new Set(files.flatMap(({ text }) => wordsIn(text)));
    const rankOf = ({ path, text, before }: ChangedFile) => {
      const changed = changedLines(before, text);
      const words = text.split("\n").flatMap((line, index) => (changed.has(index + 1) ? wordsIn(line) : []));
      const isNamed = wordsIn(parse(path).name).some((one) => inTests.has(one));
      return (isNamed ? named.size : 0) + new Set(words.filter((one) => named.has(one))).size;
    };
    const ranked = work.map((file) => ({ file, rank: rankOf(file) })).sort((one, other) => other.rank - one.rank);
    return ranked.slice(0, most).map(({ file }) => file);
  };
  return { nearnessIn, nearest };
}

/** A file of tests; of a source that contains tests, the tests alone. */
function innerTests(file: ChangedFile): ChangedFile {
  const cut = (text: string) => text.slice(Math.max(0, innerTestsAt(file.path, text)));
  return { ...file, text: cut(file.text), before: file.before === null ? null : cut(file.before) };
}

/** Where the tests of a source of Rust begin, or those that Vitest runs in a source; -1 if it has none. */
export function innerTestsAt(path: string, text: string): number {
  const language = languageOf(path);
  if (language === "rust") return text.indexOf("#[cfg(test)]");
  return language === "javascript" ? text.search(ofVitest) : -1;
}

/** The words of a line that are no keyword and in no comment, alike however a language writes compound names. */
function wordsByLine(parsed: Parsed | null, text: string): (line: number) => ReadonlySet<string> {
  const found = new Map<number, Set<string>>();
  const add = (line: number, part: string) => {
    const there = found.get(line) ?? new Set();
    for (const one of wordsIn(part)) there.add(one);
    found.set(line, there);
  };
  const { lineAt } = linesOf(text);
  if (parsed === null) for (const [index, line] of text.split("\n").entries()) add(index + 1, line);
  else
    walkTree(parsed.top, ({ name, from, to, firstChild }) => {
      const own = firstChild === null && !/Comment/.test(name) ? text.slice(from, to) : name;
      if (own !== name) add(lineAt(from), own);
      return undefined;
    });
  return (line) => found.get(line) ?? none;
}

const none: ReadonlySet<string> = new Set();

function wordsIn(text: string): string[] {
  return [...text.matchAll(word)]
    .map(([one]) => one.replace(/[_$]/g, "").toLowerCase())
    .filter((one) => one.length > 1);
}

/** The names of the functions that an offset is in, as the lines that they begin in write them. */
function functionsAround({ top, text, language }: Parsed, from: number): string[] {
  const found: string[] = [];
  for (let at: typeof top | null = top.resolve(from, 1); at !== null; at = at.parent) {
    if (!functionNode[language].test(at.name)) continue;
    const first = Math.max(0, at.from - longestHead);
    const start = first + text.slice(first, at.from).lastIndexOf("\n") + 1;
    const begin = text.slice(start, at.from + longestHead);
    const head = begin.replace(/^\s*func\s*\([^)]*\)/, "").split(/[(=\n]/, 1)[0] ?? "";
    found.push(...wordsIn(head.replace(/<.*|\b(?:async|function)\b/g, "")).slice(-1));
  }
  return found;
}

/** Whether a line of a test file is in one of these tests. */
export function besideNamed(text: string, names: readonly string[]): (line: number) => boolean {
  const heads = text
    .split("\n")
    .flatMap((line, index) => (names.some((name) => nameIn(name, line)) ? [index + 1] : []));
  return (line) => {
    const head = heads.findLast((one) => one <= line);
    return head !== undefined && line - head < longestTest;
  };
}

/** Whether a line of a test file writes this name, as a title or as a function; only its last part is there. */
export function nameIn(name: string, line: string): boolean {
  // A file that could not be loaded.
  if (languageOf(name) !== null) return false;
  const last = name
    .replace(/^(\w+) \(.+\)$/, "$1")
    // The row of a table, as pytest and PHPUnit name it.
    .replace(/(::\w+)(?:\[.*\]| with data set .*)$/s, "$1")
    .split(/::|› | > |\/|\(|\./u)
    .map((part) => part.trim())
    .findLast((part) => part.length > 2);
  if (last === undefined) return false;
  const at = line.indexOf(last);
  return at !== -1 && !/\w/.test(line.charAt(at - 1) + line.charAt(at + last.length));
}
