import type { SourceFamily } from "./source-families.ts";

/** The same text twice, each letter at its own offset. */
export interface ScannedSource {
  /** Comments are white space. */
  readonly code: string;
  /** And what is in a string is `inString`, line breaks too, and every quote is `"`. */
  readonly words: string;
}

export const inString = "\u0001";

/**
 * Tells apart code, comments and strings. Approximate where only a parser of the language could know: text in JSX,
 * heredocs, code within the strings of Ruby, Kotlin or Swift, and a pattern after `)` or `<`.
 */
export function scanSource(text: string, family: SourceFamily): ScannedSource {
  const code: string[] = [];
  const words: string[] = [];
  let at = 0;
  /** Of each template string whose code is being read: how many braces are open in that code. */
  const templates: number[] = [];

  function takeCode(to: number): void {
    const piece = text.slice(at, to);
    code.push(piece);
    words.push(piece);
    at = to;
  }
  function takeComment(to: number): void {
    const blank = text.slice(at, to).replace(/[^\n]/g, " ");
    code.push(blank);
    words.push(blank);
    at = to;
  }
  function takeString(to: number, quotes: { open: boolean; close: boolean }): void {
    const length = to - at;
    const [open, close] = [quotes.open ? 1 : 0, quotes.close && length > (quotes.open ? 1 : 0) ? 1 : 0];
    code.push(text.slice(at, to));
    words.push(open === 1 ? '"' : "", inString.repeat(length - open - close), close === 1 ? '"' : "");
    at = to;
  }
  /** From a backtick, or from the brace that ends code within, to the other backtick or the next `${`. */
  function takeTemplate(opens: boolean): void {
    templateText.lastIndex = at + 1;
    templateText.exec(text);
    const end = templateText.lastIndex;
    const closes = text[end] === "`";
    takeString(Math.min(text.length, closes ? end + 1 : end), { open: opens, close: closes });
    if (text.startsWith("${", end)) {
      takeCode(end + 2);
      templates.push(0);
    }
  }

  const { next } = family;
  next.lastIndex = 0;
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    const found = match[0];
    if (match.groups?.comment !== undefined) {
      takeCode(match.index);
      takeComment(family.nests && found.startsWith("/*") ? endOfNested(text, at) : at + found.length);
    } else if (!family.script || found.length > 1 || found === '"' || found === "'") {
      takeCode(match.index);
      takeString(at + found.length, { open: true, close: true });
    } else if (found === "`") {
      takeCode(match.index);
      takeTemplate(true);
    } else if (found === "/") {
      takeCode(match.index);
      const end = opensPattern(text, at) ? endOfPattern(text, at) : at + 1;
      if (end === at + 1) takeCode(end);
      else takeString(end, { open: true, close: true });
    } else if (found === "{") {
      takeCode(match.index + 1);
      if (templates.length > 0) templates.push((templates.pop() ?? 0) + 1);
    } else {
      takeCode(match.index);
      const depth = templates.pop();
      if (depth === 0) {
        takeTemplate(false);
      } else {
        takeCode(at + 1);
        if (depth !== undefined) templates.push(depth - 1);
      }
    }
    next.lastIndex = at;
  }
  takeCode(text.length);
  return { code: code.join(""), words: words.join("") };
}

const templateText = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;

function endOfNested(text: string, start: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let match = edge.exec(text); match !== null; match = edge.exec(text)) {
    depth += match[0] === "/*" ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return text.length;
}

/** A slash divides after a value, and opens a pattern anywhere else. `<` is left out: `</p>` is no pattern. */
function opensPattern(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  return (
    before === "" ||
    /[(,=:[!&|?{;+\-*%~^]$|(?<![\w$.])(?:return|typeof|case|in|of|void|throw|await|yield)$/.test(before)
  );
}

function endOfPattern(text: string, at: number): number {
  const pattern = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at + 1;
}
