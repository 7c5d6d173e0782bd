import { stripVTControlCharacters } from "node:util";
import { htmlBytes } from "./page-budget.ts";

export interface LogText {
  readonly lines: readonly string[];
  /** The number of the first of them in the file. */
  readonly firstLine: number;
}

const longestLine = 2000;
const markupOfLine = 50;

/**
 * The lines of a log as a terminal would leave them, without colours; of a line that carriage returns wrote over, the
 * last state. Secrets are redacted afterwards, because escape sequences may have cut one into pieces.
 */
export function readLogText(text: string, firstLine: number, redact: (text: string) => string): LogText {
  if (text === "") return { lines: [], firstLine };
  const lines = stripVTControlCharacters(text.replace(/\r?\n$/, "")).split("\n");
  const shown = lines.map((line) => line.split("\r").findLast((state) => state !== "") ?? "");
  return { lines: redact(shown.join("\n")).split("\n"), firstLine };
}

/** The last lines that a share of the page's bytes can hold, each with its place on the page. */
export function takeLogLines(log: LogText, id: string, share: number) {
  const lines = [];
  let left = share;
  for (let at = log.lines.length - 1; at >= 0; at -= 1) {
    const number = log.firstLine + at;
    const line = cutLine(log.lines[at] ?? "");
    const cost = markupOfLine + htmlBytes(line.text);
    if (left < cost) break;
    left -= cost;
    // Every tenth line shows its number.
    lines.push({ id: `${id}-L${number}`, mark: number % 10 === 0 ? String(number) : "", ...line });
  }
  return { lines: lines.reverse(), earlier: log.firstLine - 1 + log.lines.length - lines.length, bytes: share - left };
}

/** `more`: what is left out of the line, in words; empty if nothing is. */
function cutLine(line: string) {
  if (line.length <= longestLine) return { text: line, more: "" };
  const text = line.slice(0, longestLine).replace(/[\uD800-\uDBFF]$/, "");
  return { text, more: `${line.length - text.length} more characters in this line` };
}
