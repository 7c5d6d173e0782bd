import { sha256 } from "../text/sha256.ts";
import type { Language } from "./language.ts";
import { normalise } from "./normalise.ts";
import { countLines, lastOf, lineEnd, lineStart, skipSpace } from "./offsets.ts";
import { inString, type ScannedSource } from "./scan-source.ts";

/** One statement of a file, made independent of how it is laid out. */
export interface Statement {
  /** 12 hex digits of the SHA-256 of its normalised text. */
  readonly hash: string;
  /** 1-based, where it starts. */
  readonly line: number;
  /** The first line of it, as it stands in the file. */
  readonly text: string;
  /** The offset of what was found. */
  readonly at: number;
  /** Of a return: the hash of an assertion that is not reached because of it. */
  readonly guards?: string;
}

const mostLines = 40;
const mostTableLines = 500;
/** Of one in a template string. */
const longestTable = 10_000;

/**
 * The assertions of a file in order, and each line of its tables of cases. One goes from where its statement begins to
 * where its brackets balance, at most 40 lines.
 */
export function findAssertions(scanned: ScannedSource, language: Language): Statement[] {
  const found: Statement[] = [];
  const { words } = scanned;
  const lineAt = countLines(scanned.code);
  let past = 0;
  const { asserts } = language;
  asserts.lastIndex = 0;
  for (let match = asserts.exec(words); match !== null; match = asserts.exec(words)) {
    const at = skipSpace(words, match.index);
    if (at < past) continue;
    const failure = language.failures?.test(match[0]) === true;
    const start = failure ? lineStart(words, at) : statementStart(words, at, past, language);
    const end = Math.max(statementEnd(words, at), Math.min(words.length, match.index + match[0].length));
    const condition = failure ? lineBefore(scanned, start) : "";
    found.push(statementOf(scanned, start, end, lineAt(at), condition));
    past = end;
    asserts.lastIndex = Math.max(end, asserts.lastIndex);
  }
  return [...found, ...findCases(scanned, language, lineAt)];
}

/** The lines in which something is marked as not to be run, each with the line that it marks where it stands alone. */
export function findSkips(scanned: ScannedSource, language: Language): Statement[] {
  const { words } = scanned;
  const lineAt = countLines(scanned.code);
  const { skips } = language;
  const found: Statement[] = [];
  let past = -1;
  skips.lastIndex = 0;
  for (let match = skips.exec(words); match !== null; match = skips.exec(words)) {
    const at = skipSpace(words, match.index);
    if (at < past) continue;
    const start = lineStart(words, at);
    let end = lineEnd(words, at);
    const mark = words.slice(start, end).trimStart();
    if (/^[@#[]/.test(mark)) end = lineEnd(words, skipSpace(words, end));
    found.push(statementOf(scanned, start, end, lineAt(at), ""));
    past = end;
    skips.lastIndex = Math.max(end, skips.lastIndex);
  }
  return found;
}

export function countTests({ words }: ScannedSource, { tests }: Language): number {
  return words.match(tests)?.length ?? 0;
}

const hasContent = new RegExp(`[\\w${inString}]`);

function findCases(scanned: ScannedSource, { tables }: Language, lineAt: (offset: number) => number): Statement[] {
  const found: Statement[] = [];
  if (tables === undefined) return found;
  const { words } = scanned;
  tables.lastIndex = 0;
  for (let match = tables.exec(words); match !== null; match = tables.exec(words)) {
    const open = skipSpace(words, match.index + match[0].length);
    const end = tableEnd(words, open);
    let from = open;
    for (let lines = 0; from < end && lines < mostTableLines; lines += 1) {
      const to = Math.min(end, lineEnd(words, from + 1));
      // A line of brackets alone is layout.
      if (hasContent.test(words.slice(from, to))) {
        found.push(statementOf(scanned, from, to, lineAt(skipSpace(words, from)), "case "));
      }
      from = to;
    }
    tables.lastIndex = Math.max(end, tables.lastIndex);
  }
  return found;
}

/** Where what opens here is closed; of `[]struct{ a int }{ rows }` the last of both. */
function tableEnd(words: string, open: number): number {
  if (words[open] === '"') {
    const close = /"\s*\(/.exec(words.slice(open + 1, open + longestTable));
    return close === null ? open + 1 : open + close.index + 2;
  }
  const end = balance(words, open);
  return words[end] === "{" ? balance(words, end) : end;
}

function balance(words: string, open: number): number {
  let depth = 0;
  for (let at = open; at < words.length; at += 1) {
    const letter = words[at] ?? "";
    if ("([{".includes(letter)) depth += 1;
    else if (")]}".includes(letter)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return words.length;
}

function statementStart(words: string, at: number, past: number, language: Language): number {
  const start = Math.max(past, lineStart(words, at));
  const before = words.slice(start, at);
  const boundary = language.indented === true ? before.lastIndexOf(";") : lastOf(before, ";{}");
  const from = start + boundary + 1;
  // `it("adds", () => assert.ok(x))`: the name of a test may change.
  const head = words.slice(from, at);
  language.tests.lastIndex = 0;
  const arrow = language.tests.test(head) ? head.lastIndexOf("=>") : -1;
  return arrow < 0 ? from : from + arrow + 2;
}

function statementEnd(words: string, from: number): number {
  let depth = 0;
  let lines = 0;
  for (let at = from; at < words.length; at += 1) {
    const letter = words[at] ?? "";
    if (letter === "(" || letter === "[" || letter === "{") depth += 1;
    else if (letter === ")" || letter === "]" || letter === "}") {
      depth -= 1;
      if (depth < 0) return at;
    } else if (letter === ";" && depth === 0) return at;
    else if (letter === "\n") {
      lines += 1;
      if (lines >= mostLines || (depth === 0 && !goesOn(words, from, at))) return at;
    }
  }
  return words.length;
}

/** Whether the statement goes on after this line break, outside all brackets. */
function goesOn(words: string, from: number, lineBreak: number): boolean {
  const before = words.slice(Math.max(from, lineBreak - 200), lineBreak).trimEnd();
  if (/[,.\\=+&|?]$|=>$/.test(before)) return true;
  const next = skipSpace(words, lineBreak);
  return /^(?:\?\.|\.(?!\.)|->|\|>|&&|\|\||[+?]|==|!=|: )/.test(words.slice(next, next + 3));
}

function statementOf(scanned: ScannedSource, start: number, end: number, line: number, lead: string): Statement {
  const text = scanned.code.slice(start, end).trimStart();
  const first = text.split("\n", 1)[0] ?? "";
  const hash = sha256(lead + normalise(scanned, start, end)).slice(0, 12);
  return { hash, line, text: first.trimEnd(), at: start };
}

/** The line with code before this one where it opens a block or a condition, normalised; else nothing. */
export function lineBefore(scanned: ScannedSource, start: number): string {
  const { words } = scanned;
  let end = start;
  while (end > 0 && (words[end - 1] ?? "") <= " " && words[end - 1] !== inString) end -= 1;
  const from = lineStart(words, end);
  const line = words.slice(from, end);
  return /[{:)]$|\bthen$/.test(line) ? normalise(scanned, from, end) : "";
}
