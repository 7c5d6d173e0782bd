import { type Edit, linesOf, remember } from "./edit.ts";

/** A file as it is now, and as it was at pass 1; null if it was not there then. */
export interface ChangedFile {
  readonly path: string;
  readonly text: string;
  readonly before: string | null;
}

/** The largest table of lines by lines that is made. */
const mostCells = 4_000_000;

/**
 * The numbers, from 1, of the lines of `now` that `before` does not have at that place. Lines that both have once, in the same
 * order, stay, and between two of those the longest common subsequence does; between them a part that is too large to compare
 * so (2,000 by 2,000 lines) has changed as a whole. Every line if there was no file.
 */
export function changedLines(before: string | null, now: string): ReadonlySet<number> {
  const present = splitLines(now);
  if (before === null) return new Set(present.map((_line, index) => index + 1));
  const kept = keptLines(splitLines(before), present);
  return new Set(present.flatMap((_line, index) => (kept.has(index) ? [] : [index + 1])));
}

/** The most pairs of a line that is gone and one that changed, about 0.4 s of them. */
const mostPairs = 250_000;

/** What the replaced lines of a file say of an edit of those in their place. */
export interface OldLines {
  /**
   * Whether an edit touches only what the replaced line had too: the text that this line, and of the lines that are gone the
   * one most like it, both begin or end with, if that is half of the line or more. Such an edit tries the code of before, and
   * not the work. Beside a place where the line only lost text, nothing is old.
   */
  readonly isOld: (edit: Edit) => boolean;
  /** The line, from 1, as that one was; null if it has a word that was nowhere in the file: a test may need only that. */
  readonly restore: (line: number) => Edit | null;
}

/** Of more than `mostPairs` nothing is old. */
export function compareOld({ before, text }: ChangedFile, changed: number): OldLines {
  const present = new Set(splitLines(text));
  const gone = splitLines(before ?? "").filter((line) => !present.has(line));
  const compared =
    gone.length * changed > mostPairs ? [] : gone.map((line) => ({ old: line.trim(), plainly: plain(line) }));
  const { lineAt, startOf } = linesOf(text);
  const shareOf = remember((number: number) => {
    const start = startOf(number);
    const whole = text.slice(start, startOf(number + 1));
    const line = plain(whole);
    const first = start + whole.length - whole.trimStart().length;
    const { head, tail, old } = compared
      .map(({ old, plainly }) => ({ ...sharedEnds(line, plainly), old }))
      .reduce((one, other) => (other.head + other.tail > one.head + one.tail ? other : one), nothingShared);
    const last = first + line.length;
    const lost = head + tail === line.length && !compared.some(({ plainly }) => bare(plainly) === bare(line)) ? 1 : 0;
    if (2 * (head + tail) < line.length) return null;
    const edit = { from: first + head, to: last - tail, text: old.slice(head, old.length - tail) };
    return { head: edit.from - lost, tail: edit.to + lost, last, edit };
  });
  return {
    isOld: ({ from, to }) => {
      const share = shareOf(lineAt(from));
      return share !== null && (to <= share.head || (from >= share.tail && to <= share.last));
    },
    restore: (line) => {
      const edit = shareOf(line)?.edit;
      if (edit === undefined) return null;
      const [own, known] = [text.slice(edit.from, edit.to), new Set(before?.match(word))];
      return own === edit.text || own.match(word)?.some((one) => !known.has(one)) ? null : edit;
    },
  };
}

const nothingShared = { head: 0, tail: 0, old: "" };
const word = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** As long as the line in itself; a formatter indents lines, and chooses their quotes. */
function plain(line: string): string {
  return line.trim().replaceAll("'", '"');
}

function bare(line: string): string {
  return line.replace(/[;,]$/, "");
}

/** How much two lines begin and end with, in whole words and operators of both. */
function sharedEnds(one: string, other: string): { readonly head: number; readonly tail: number } {
  const isWithin = (text: string, at: number) => /^(?:\w\w|[-+*/%=<>!&|^?:~]{2})$/.test(text.slice(at - 1, at + 1));
  let head = 0;
  while (head < one.length && one[head] === other[head]) head += 1;
  while (head > 0 && (isWithin(one, head) || isWithin(other, head))) head -= 1;
  let tail = 0;
  const most = Math.min(one.length, other.length) - head;
  while (tail < most && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  while (tail > 0 && (isWithin(one, one.length - tail) || isWithin(other, other.length - tail))) tail -= 1;
  return { head, tail };
}

/** The places in `right` of the lines that stay. */
export function keptLines(left: readonly string[], right: readonly string[]): ReadonlySet<number> {
  const kept = new Set<number>();
  const keep = (leftFrom: number, leftTo: number, rightFrom: number, rightTo: number): void => {
    let [a, b, leftEnd, rightEnd] = [leftFrom, rightFrom, leftTo, rightTo];
    for (; a < leftEnd && b < rightEnd && left[a] === right[b]; a += 1, b += 1) kept.add(b);
    for (; a < leftEnd && b < rightEnd && left[leftEnd - 1] === right[rightEnd - 1]; leftEnd -= 1, rightEnd -= 1)
      kept.add(rightEnd - 1);
    if (a === leftEnd || b === rightEnd) return;
    const [some, others] = [left.slice(a, leftEnd), right.slice(b, rightEnd)];
    const anchors = some.length * others.length > mostCells ? findAnchors(some, others) : [];
    if (anchors.length > 0) {
      let [fromLeft, fromRight] = [a, b];
      for (const [one, other] of [...anchors, [some.length, others.length] as const]) {
        keep(fromLeft, a + one, fromRight, b + other);
        if (b + other < rightEnd) kept.add(b + other);
        [fromLeft, fromRight] = [a + one + 1, b + other + 1];
      }
    } else if (some.length * others.length <= mostCells) {
      for (const place of commonLines(some, others)) kept.add(b + place);
    }
  };
  keep(0, left.length, 0, right.length);
  return kept;
}

/** Lines that both sides have once, as pairs of places: the longest run of them in the same order. */
function findAnchors(left: readonly string[], right: readonly string[]): (readonly [number, number])[] {
  const [ofLeft, ofRight] = [placesOfSingles(left), placesOfSingles(right)];
  const pairs = [...ofLeft].flatMap(([line, one]): (readonly [number, number])[] => {
    const other = ofRight.get(line);
    return other === undefined ? [] : [[one, other]];
  });
  // The ends of the longest runs of each length so far, by their place on the right.
  const ends: number[] = [];
  const before = new Map<number, number | null>();
  for (const [at, [, place]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    before.set(at, low === 0 ? null : (ends[low - 1] ?? null));
    ends[low] = at;
  }
  const run: (readonly [number, number])[] = [];
  for (let at = ends.at(-1) ?? null; at !== null; at = before.get(at) ?? null) run.push(pairs[at] ?? [0, 0]);
  return run.reverse();
}

function placesOfSingles(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number | null>();
  for (const [at, line] of lines.entries()) places.set(line, places.has(line) ? null : at);
  return new Map([...places].flatMap(([line, at]): [string, number][] => (at === null ? [] : [[line, at]])));
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The places in `right` of the lines that both have in the same order. */
function commonLines(left: readonly string[], right: readonly string[]): ReadonlySet<number> {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const kept = new Set<number>();
  for (let row = 0, column = 0; row < left.length && column < right.length; ) {
    if (left[row] === right[column]) {
      kept.add(column);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return kept;
}
