import { basename, extname } from "node:path";
import { isForeign, testClass } from "../watch/test-paths.ts";
import { type ChangedFile, keptLines } from "../wrong/changed-lines.ts";

const ofC = /\.(?:cc?|cpp|cxx|hh?|hpp|mm?)$/;
const objects = [".o", ".obj", ".lo"];
/** Flags of compilers that take the next word. */
const takesNext = /^-(?:-?i\w*|[ox]|M[FTQ])$/;
/** Other data that names sources may be what a check compares with. */
const builds =
  /(?:^|\/)(?:(?:GNU|BSD)?[Mm]akefile(?:\.\w+)?|CMakeLists\.txt|meson\.build|configure\.ac|[Jj]ustfile|BUILD(?:\.bazel)?|SCons(?:truct|cript))$|\.(?:mk|mak|cmake|gypi?|pro)$/;

/** By the name of a build file, the statements in it that say how libraries are built. */
const aboutLibraries: readonly (readonly [RegExp, RegExp])[] = [
  [
    /(?:^|\/)CMakeLists\.txt$/,
    /^\s*(?:find_package|pkg_check_modules|target_\w+|add_library|project|cmake_minimum_required|set\s*\(\s*CMAKE_\w+_(?:STANDARD|EXTENSIONS)\w*)\b/i,
  ],
  [
    /(?:^|\/)meson\.build$/,
    /^\s*(?:\w+\s*=\s*(?:\w*library|\w*dependency|files|\w+\.find_library)\s*\(|project\s*\(|\w+\s*\+?=\s*\[(?:\s*'[^']*\.[ch]\w*',?)*\s*\]\s*$)/,
  ],
  [/(?:^|\/)Makefile\.am$/, /^\w+_(?:SOURCES|LIBADD|LDADD|LIBS|\w*FLAGS)\s*\+?=/],
];
/** Such a statement may decide what a test does. */
const aboutTests = /(?<!pkg_)check|test|spec|mock|assert|-include|\bNDEBUG\b/i;

/**
 * Settings of a build as at pass 1, such as a makefile or CMakeLists.txt, but for lists of the work's sources that only gained
 * new ones, and for what such a file says of libraries alone: without these the work cannot be built, whatever the checks say.
 * What has only tests in it is no such list: a new source there may take the place of what the tests link. `earlier`: the
 * paths of pass 1. By path, only those that differ so.
 */
export function withNewSources(
  files: readonly ChangedFile[],
  settings: readonly string[],
  earlier: Iterable<string>,
): ReadonlyMap<string, string> {
  const added = files.filter(
    ({ path, before }) => before === null && ofC.test(path) && testClass(path) === null && !settings.includes(path),
  );
  const names = namesOf(added.map(({ path }) => path));
  const tests = namesOf(files.flatMap(({ path, before }) => (before === null && testClass(path) !== null ? path : [])));
  const old = [...earlier].filter((path) => ofC.test(path) && !isForeign(path));
  const others = namesOf(old.filter((path) => testClass(path) !== null));
  const sources = new Set([...namesOf(old)].filter((name) => !others.has(name)));
  return new Map(
    files.flatMap(({ path, text, before }): [string, string][] => {
      if (before === null || !settings.includes(path) || !builds.test(path)) return [];
      const longer = mergeLists(before, withoutWords(text, tests), names, sources);
      const [, ofLibraries] = aboutLibraries.find(([name]) => testClass(path) === null && name.test(path)) ?? [];
      const merged = ofLibraries === undefined ? longer : mergeLibraries(longer, text, ofLibraries);
      return merged === before ? [] : [[path, merged]];
    }),
  );
}

/** The last parts of the paths of sources, and those of their objects. */
function namesOf(paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    paths.flatMap((path) => [basename(path), ...objects.map((end) => basename(path, extname(path)) + end)]),
  );
}

function mergeLists(before: string, text: string, names: ReadonlySet<string>, sources: ReadonlySet<string>): string {
  const longer = new Map<string, string>();
  for (const statement of statementsOf(text)) {
    const words = wordsOf(statement);
    const isNew = (word: string) => names.has(nameIn(word));
    const rest = words.filter((word) => !isNew(word));
    // Only beside a source of its kind: a new word elsewhere may be another command, or what a flag takes.
    const isListed = (word: string, at: number) => {
      const last = words.slice(0, at).findLast((one) => !isNew(one)) ?? "";
      const next = words.slice(at).find((one) => !isNew(one)) ?? "";
      const isBeside = (one: string) => sources.has(nameIn(one)) && extname(nameIn(one)) === extname(nameIn(word));
      return !takesNext.test(last) && (isBeside(last) || isBeside(next));
    };
    const isList = words.every((word, at) => !isNew(word) || isListed(word, at));
    if (rest.length < words.length && isList) longer.set(rest.join(" "), statement);
  }
  return statementsOf(before)
    .map((statement) => longer.get(wordsOf(statement).join(" ")) ?? statement)
    .join("\n");
}

/** The statements of now that are about libraries alone, and all others as they were, behind those in the same place. */
function mergeLibraries(before: string, text: string, ofLibraries: RegExp): string {
  const [were, are] = [statementsOf(before), statementsOf(text)];
  const isPlain = (statement: string) => ofLibraries.test(statement) && !aboutTests.test(statement);
  const kept = keptLines(were, are);
  const merged: string[] = [];
  let next = 0;
  for (const [at, statement] of are.entries()) {
    if (!kept.has(at)) {
      if (isPlain(statement)) merged.push(statement);
      continue;
    }
    const place = were.indexOf(statement, next);
    merged.push(...were.slice(next, place).filter((one) => !isPlain(one)), statement);
    next = place + 1;
  }
  return [...merged, ...were.slice(next).filter((one) => !isPlain(one))].join("\n");
}

/** Without the words that name one of these files. */
function withoutWords(text: string, names: ReadonlySet<string>): string {
  return text.replace(/[^\s()]+/g, (word) => (names.has(nameIn(word)) ? "" : word));
}

/** Lines, joined where one ends with a backslash or a bracket is open. */
function statementsOf(text: string): string[] {
  const found: string[] = [];
  let open = "";
  for (const line of text.split("\n")) {
    open = open === "" ? line : `${open}\n${line}`;
    if (line.endsWith("\\") || open.split(/[([]/).length > open.split(/[)\]]/).length) continue;
    found.push(open);
    open = "";
  }
  return open === "" ? found : [...found, open];
}

function wordsOf(statement: string): string[] {
  return statement.replace(/\\\n|(?<=['"]),/g, " ").match(/\$\([^()\s]*\)[^\s()]*|[^\s()]+|[()]/g) ?? [];
}

/** The file that a word names, which may be in quotes and followed by a comma. */
function nameIn(word: string): string {
  return basename(word.replace(/^["']|["']?,?$/g, ""));
}
