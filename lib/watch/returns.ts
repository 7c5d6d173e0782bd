import { sha256 } from "../text/sha256.ts";
import type { Language } from "./language.ts";
import { normalise } from "./normalise.ts";
import { countLines, lineEnd, lineStart, skipSpace } from "./offsets.ts";
import { inString, type ScannedSource } from "./scan-source.ts";
import { lineBefore, type Statement } from "./statements.ts";

/** JavaScript, Python and Go: a return that gives nothing back, or nothing that anybody needs. */
const bare =
  /(?<![\w$.])return(?![\w$])[ \t]{0,200}(?:(?:undefined|null|nil|None|true|false|True|False|void 0|\d{1,3}|Promise\.resolve\(\))[ \t]{0,200})?(?=[;}\n]|$)/g;
const languages = new Set(["JavaScript", "Python", "Go"]);
const mostReturns = 500;
/** Of marks in a file. */
const mostMarks = 2_000;

/**
 * A mark for each assertion that a bare return stands before, in the same function: with such a return that is new the
 * assertion may never be reached. The mark holds the condition of the return, so that another condition is another mark.
 */
export function findReturns(scanned: ScannedSource, language: Language, asserts: readonly Statement[]): Statement[] {
  const { words } = scanned;
  if (!languages.has(language.name) || asserts.length === 0) return [];
  const starts = [...words.matchAll(bare)].slice(0, mostReturns).map(({ index }) => index);
  if (starts.length === 0) return [];
  const ends = language.indented === true ? endsByIndent(words, starts) : endsByBrace(words, starts, language.name);
  const lineAt = countLines(scanned.code);
  const found: Statement[] = [];
  for (const [index, start] of starts.entries()) {
    const end = ends[index] ?? 0;
    const guarded = asserts.filter(({ at }) => at > start && at < end);
    if (guarded.length === 0) continue;
    const from = lineStart(words, start);
    const own = normalise(scanned, from, Math.min(lineEnd(words, start), guarded[0]?.at ?? words.length));
    const why = `return ${/^return\b/.test(own) ? lineBefore(scanned, from) : ""} ${own} `;
    const line = lineAt(start);
    const text = scanned.code.slice(from, lineEnd(words, start)).trim();
    for (const { hash } of guarded) {
      found.push({ hash: sha256(why + hash).slice(0, 12), line, text, at: start, guards: hash });
      if (found.length >= mostMarks) return found;
    }
  }
  return found;
}

interface Open {
  readonly letter: string;
  readonly at: number;
  readonly isFunction: boolean;
  /** Which returns it holds that belong to no function within. */
  readonly returns: number[];
}

/** Where the function ends that each of the returns leaves; the end of the file outside of all functions. */
function endsByBrace(words: string, starts: readonly number[], language: string): number[] {
  const ends = starts.map(() => words.length);
  const open: Open[] = [];
  /** Where the round bracket was opened that was closed last. */
  let round = 0;
  let next = 0;
  const edge = /[()[\]{}]/g;
  const place = (until: number): void => {
    for (; next < starts.length && (starts[next] ?? 0) < until; next += 1) {
      open.findLast(({ isFunction }) => isFunction)?.returns.push(next);
    }
  };
  for (let match = edge.exec(words); match !== null; match = edge.exec(words)) {
    const [letter] = match;
    const at = match.index;
    place(at);
    if ("([{".includes(letter)) {
      const isFunction =
        letter === "{" && (language === "Go" ? goFunction(words, at) : scriptFunction(words, at, round));
      open.push({ letter, at, isFunction, returns: [] });
    } else {
      const last = open.pop();
      if (letter === ")") round = last?.at ?? 0;
      for (const index of last?.returns ?? []) ends[index] = at;
    }
  }
  place(words.length);
  return ends;
}

function goFunction(words: string, brace: number): boolean {
  return /\bfunc\b|^\s*\)/.test(words.slice(lineStart(words, brace), brace));
}

/** Any brace may open a function but that of a condition, a loop or a plain block; none else holds a return. */
function scriptFunction(words: string, brace: number, round: number): boolean {
  const before = words.slice(Math.max(0, brace - 200), brace).trimEnd();
  if (before === "" || /[;{}]$|(?<![\w$.])(?:else|try|finally|do)$/.test(before)) return false;
  if (!before.endsWith(")")) return true;
  return !/(?<![\w$.])(?:if|for|while|switch|catch|with|await)$/.test(
    words.slice(Math.max(0, round - 20), round).trimEnd(),
  );
}

/** The first line that is indented no deeper than the `def` that the return stands in. */
function endsByIndent(words: string, starts: readonly number[]): number[] {
  const ends = starts.map(() => words.length);
  const open: { readonly depth: number; readonly returns: number[] }[] = [];
  let next = 0;
  for (let from = 0; from < words.length; ) {
    const to = lineEnd(words, from);
    const first = skipSpace(words, from);
    if (first < to && words[first] !== inString && !")]}".includes(words[first] ?? "")) {
      const depth = first - from;
      while (open.length > 0 && (open.at(-1)?.depth ?? 0) >= depth) {
        for (const index of open.pop()?.returns ?? []) ends[index] = from;
      }
      if (/^(?:async[ \t]{1,9})?def\b/.test(words.slice(first, first + 20))) open.push({ depth, returns: [] });
    }
    for (; next < starts.length && (starts[next] ?? 0) < to; next += 1) open.at(-1)?.returns.push(next);
    from = to + 1;
  }
  return ends;
}
