import { nearestColour, paletteColour } from "./ansi-colours.ts";

/** Some text of a log, and the classes of the page that show it as a terminal would; empty: plain. */
export interface AnsiRun {
  readonly text: string;
  readonly classes: string;
}

interface Pen {
  readonly colour: number | null;
  readonly ground: number | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
}

const plainPen: Pen = { colour: null, ground: null, bold: false, dim: false, underline: false, inverse: false };

/**
 * What a terminal obeys (ECMA-48): a control sequence; a string such as a title or a link, ended by BEL or ST; the
 * other escapes. None can run on past a line or into the next escape, so each is looked at once.
 */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)([0-?]{0,64})[ -/]{0,4}([@-~])|(?:\x1b[P\]X^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\n]{0,4096}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{0,4}[0-OQ-WYZ\\`-~]/g;

/**
 * The lines of a log as a terminal would show them in the end: colours and weights as runs, every other sequence left
 * out, and of a line that was written over with carriage returns its last state. Other control characters stay; who
 * shows the runs spells them out.
 */
export function readAnsi(text: string): AnsiRun[][] {
  const lines: AnsiRun[][] = [];
  let line: AnsiRun[] = [];
  let returned = false;
  let pen = plainPen;
  const write = (piece: string) => {
    for (const [index, part] of piece.split("\n").entries()) {
      if (index > 0) {
        lines.push(line);
        line = [];
        returned = false;
      }
      for (const [at, state] of part.split("\r").entries()) {
        if (at > 0) returned = true;
        if (state === "") continue;
        if (returned) line = [];
        returned = false;
        addRun(line, state, classesOf(pen));
      }
    }
  };
  let from = 0;
  for (const match of text.matchAll(sequence)) {
    write(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === "m") pen = turnPen(pen, match[1] ?? "");
  }
  write(text.slice(from));
  lines.push(line);
  return lines;
}

/** The words alone. */
export function textOf(lines: readonly (readonly AnsiRun[])[]): string {
  return lines.map((line) => line.map((run) => run.text).join("")).join("\n");
}

function addRun(line: AnsiRun[], text: string, classes: string): void {
  const last = line.at(-1);
  if (last?.classes === classes) line[line.length - 1] = { text: last.text + text, classes };
  else line.push({ text, classes });
}

function classesOf({ colour, ground, bold, dim, underline, inverse }: Pen): string {
  return [
    ...(bold ? ["bo"] : []),
    ...(underline ? ["un"] : []),
    // Two colours changed round are hard to read on a page that has a light and a dark side.
    ...(inverse ? ["in"] : []),
    ...(inverse || colour === null ? [] : [`f${colour}`]),
    ...(inverse || ground === null ? [] : [`b${ground}`]),
    ...(dim && !inverse && colour === null ? ["di"] : []),
  ].join(" ");
}

/** SGR, "select graphic rendition"; what is not known changes nothing. */
function turnPen(pen: Pen, parameters: string): Pen {
  const codes = parameters.split(";");
  let next = pen;
  for (let at = 0; at < codes.length; at += 1) {
    const parts = (codes[at] ?? "").split(":").map(numberOf);
    const code = parts[0] ?? 0;
    if (code !== 38 && code !== 48 && code !== 58) {
      next = { ...next, ...simple(code) };
      continue;
    }
    // `38;5;N` and `38;2;R;G;B`, or the same with colons as one parameter.
    const own = parts.length > 1 ? parts.slice(1) : codes.slice(at + 1, at + 5).map(numberOf);
    const { colour, used } = extended(own, parts.length > 1);
    if (parts.length === 1) at += used;
    if (code === 38) next = { ...next, colour };
    if (code === 48) next = { ...next, ground: colour };
  }
  return next;
}

function simple(code: number): Partial<Pen> {
  if (code === 0) return plainPen;
  if (code === 1) return { bold: true };
  if (code === 2) return { dim: true };
  if (code === 4 || code === 21) return { underline: true };
  if (code === 7) return { inverse: true };
  if (code === 22) return { bold: false, dim: false };
  if (code === 24) return { underline: false };
  if (code === 27) return { inverse: false };
  if (code === 39) return { colour: null };
  if (code === 49) return { ground: null };
  if (code >= 30 && code <= 37) return { colour: code - 30 };
  if (code >= 40 && code <= 47) return { ground: code - 40 };
  if (code >= 90 && code <= 97) return { colour: code - 82 };
  if (code >= 100 && code <= 107) return { ground: code - 92 };
  return {};
}

function extended(own: readonly number[], colons: boolean): { colour: number | null; used: number } {
  if (own[0] === 5) return { colour: paletteColour(own[1] ?? 0), used: 2 };
  if (own[0] !== 2) return { colour: null, used: 0 };
  // With colons a colour space, mostly empty, can be before the three.
  const [red = 0, green = 0, blue = 0] = own.slice(colons && own.length > 4 ? 2 : 1);
  return { colour: nearestColour(red, green, blue), used: 4 };
}

function numberOf(text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : 0;
}
