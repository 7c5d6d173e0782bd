import { type AnsiRun, readAnsi, textOf } from "./ansi.ts";
import { htmlBytes } from "./page-budget.ts";

/** One log of the page, before its last part is chosen. */
export interface LogText {
  readonly lines: readonly (readonly AnsiRun[])[];
  /** The number of the first of them in the file. */
  readonly firstLine: number;
  /** Colours were left out, since a secret was between them. */
  readonly plain: boolean;
}

export interface LogLine {
  readonly id: string;
  /** The number of every tenth line; empty for the others. */
  readonly mark: string;
  readonly runs: readonly AnsiRun[];
  /** The part left out of the line; empty if nothing is. */
  readonly more: string;
}

const longestLine = 2000;
/** Markup around a line and around a run that has classes. */
const aroundLine = 50;
const aroundRun = 40;

/**
 * The lines of a log, with its secrets redacted as a reader would see it: a secret that escape sequences cut into
 * pieces comes together only when they are taken out, and the whole log is shown without colours then.
 */
export function readLogText(text: string, firstLine: number, redact: (text: string) => string): LogText {
  const lines = text === "" ? [] : readAnsi(text.replace(/\r?\n$/, ""));
  const shown = textOf(lines);
  const clean = redact(shown);
  if (clean === shown) return { lines, firstLine, plain: false };
  const plain = clean.split("\n").map((line) => (line === "" ? [] : [{ text: line, classes: "" }]));
  return { lines: plain, firstLine, plain: true };
}

/** The last lines that a share of the page's bytes can hold, each with its place on the page. */
export function takeLogLines(log: LogText, id: string, share: number) {
  const lines: LogLine[] = [];
  let left = share;
  for (let at = log.lines.length - 1; at >= 0; at -= 1) {
    const number = log.firstLine + at;
    const { runs, more } = cutLine(log.lines[at] ?? []);
    const cost =
      aroundLine + runs.reduce((sum, run) => sum + htmlBytes(run.text) + (run.classes === "" ? 0 : aroundRun), 0);
    if (left < cost) break;
    left -= cost;
    lines.push({ id: `${id}-L${number}`, mark: number % 10 === 0 ? String(number) : "", runs, more });
  }
  return { lines: lines.reverse(), earlier: log.firstLine - 1 + log.lines.length - lines.length, bytes: share - left };
}

function cutLine(runs: readonly AnsiRun[]): { runs: readonly AnsiRun[]; more: string } {
  const length = runs.reduce((sum, run) => sum + run.text.length, 0);
  if (length <= longestLine) return { runs, more: "" };
  const kept: AnsiRun[] = [];
  let room = longestLine;
  for (const { text, classes } of runs) {
    const part = text.slice(0, room).replace(/[\uD800-\uDBFF]$/, "");
    if (part === "") break;
    kept.push({ text: part, classes });
    room -= part.length;
  }
  return { runs: kept, more: `${length - longestLine + room} more characters in this line` };
}
