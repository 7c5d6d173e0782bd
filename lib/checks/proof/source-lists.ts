import { basename, extname } from "node:path";
import { isCode, testClass } from "../watch/test-paths.ts";
import type { ChangedFile } from "../wrong/changed-lines.ts";

const ofC = /\.(?:cc?|cpp|cxx|hh?|hpp|mm?)$/;
const objects = [".o", ".obj", ".lo"];

/**
 * Settings of a build as at pass 1, such as a makefile or CMakeLists.txt, but for lists of sources that only gained the new
 * ones of the work: without these the work cannot be built, whatever the checks say. By path, only those that differ so.
 */
export function withNewSources(
  files: readonly ChangedFile[],
  settings: readonly string[],
): ReadonlyMap<string, string> {
  const added = files.filter(
    ({ path, before }) => before === null && ofC.test(path) && testClass(path) === null && !settings.includes(path),
  );
  const names = new Set(added.map(({ path }) => basename(path)));
  for (const { path } of added) for (const end of objects) names.add(basename(path, extname(path)) + end);
  return new Map(
    files.flatMap(({ path, text, before }): [string, string][] => {
      if (before === null || names.size === 0 || !settings.includes(path) || isCode(path)) return [];
      const merged = mergeLists(before, text, names);
      return merged === before ? [] : [[path, merged]];
    }),
  );
}

function mergeLists(before: string, text: string, names: ReadonlySet<string>): string {
  const longer = new Map<string, string>();
  for (const statement of statementsOf(text)) {
    const words = wordsOf(statement);
    const isNew = (word: string) => names.has(nameIn(word));
    const rest = words.filter((word) => !isNew(word));
    const ends = new Set(rest.map((word) => extname(nameIn(word))));
    // Only where something of its kind stood already: a new word elsewhere may be another command.
    const isList = words.every((word) => !isNew(word) || ends.has(extname(nameIn(word))));
    if (rest.length < words.length && isList) longer.set(rest.join(" "), statement);
  }
  return statementsOf(before)
    .map((statement) => longer.get(wordsOf(statement).join(" ")) ?? statement)
    .join("\n");
}

/** Lines, joined where one ends with a backslash or a bracket is open. */
function statementsOf(text: string): string[] {
  const found: string[] = [];
  let open = "";
  for (const line of text.split("\n")) {
    open = open === "" ? line : `${open}\n${line}`;
    if (line.endsWith("\\") || open.split("(").length > open.split(")").length) continue;
    found.push(open);
    open = "";
  }
  return open === "" ? found : [...found, open];
}

function wordsOf(statement: string): string[] {
  return statement.replace(/\\\n/g, " ").match(/\$\([^()\s]*\)[^\s()]*|[^\s()]+|[()]/g) ?? [];
}

/** The file that a word names, which may be in quotes and followed by a comma. */
function nameIn(word: string): string {
  return basename(word.replace(/^["']|["']?,?$/g, ""));
}
