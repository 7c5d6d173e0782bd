import { sha256 } from "../text/sha256.ts";
import type { Language } from "./language.ts";
import { countLines, lineEnd, lineStart } from "./offsets.ts";
import type { ScannedSource } from "./scan-source.ts";
import type { Statement } from "./statements.ts";

/** A function with a name, in JavaScript. */
const named =
  /(?:(?<![\w$.])(?:const|let|var)\s{1,9}(?<variable>[\w$]{1,80})\s{0,9}(?::[^=\n]{0,80})?=\s{0,9}(?:async\s{1,9})?(?:function\b|\([^()]{0,200}\)\s{0,9}(?::[^=\n]{0,80})?=>|[\w$]{1,80}\s{0,9}=>)|(?<![\w$.])function\s{1,9}(?<own>[\w$]{1,80})\s{0,9}\()/g;
const mostFunctions = 300;
const longestBody = 20_000;

/** Functions that hold tests and that their file names nowhere else: these tests are never declared. */
export function findUncalled(scanned: ScannedSource, language: Language): Statement[] {
  if (language.name !== "JavaScript") return [];
  const { words } = scanned;
  const lineAt = countLines(scanned.code);
  const found: Statement[] = [];
  for (const match of [...words.matchAll(named)].slice(0, mostFunctions)) {
    const name = match.groups?.variable ?? match.groups?.own ?? "";
    const from = lineStart(words, match.index);
    if (/\bexport\b/.test(words.slice(from, match.index))) continue;
    const body = words.slice(match.index + match[0].length, bodyEnd(words, match.index + match[0].length));
    language.tests.lastIndex = 0;
    if (!language.tests.test(body) || isNamedAgain(words, name)) continue;
    const text = scanned.code.slice(from, lineEnd(words, match.index)).trim();
    found.push({ hash: sha256(`uncalled ${name}`).slice(0, 12), line: lineAt(match.index), text, at: match.index });
  }
  return found;
}

/** After the brackets that close what opens here, or the end of the statement. */
function bodyEnd(words: string, start: number): number {
  const last = Math.min(words.length, start + longestBody);
  let depth = words[start - 1] === "(" ? 1 : 0;
  for (let at = start; at < last; at += 1) {
    const letter = words[at] ?? "";
    if ("([{".includes(letter)) depth += 1;
    else if (")]}".includes(letter)) {
      depth -= 1;
      if (depth < 0 || (depth === 0 && letter === "}")) return at;
    } else if (depth === 0 && (letter === ";" || (letter === "\n" && words.slice(start, at).trim() !== ""))) return at;
  }
  return last;
}

function isNamedAgain(words: string, name: string): boolean {
  const boundary = /[\w$]/;
  let count = 0;
  for (let at = words.indexOf(name); at >= 0 && count < 2; at = words.indexOf(name, at + name.length)) {
    if (!boundary.test(words[at - 1] ?? " ") && !boundary.test(words[at + name.length] ?? " ")) count += 1;
  }
  return count > 1;
}
