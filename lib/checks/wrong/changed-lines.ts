/** A file as it is now, and as it was at pass 1; null if it was not there then. */
export interface ChangedFile {
  readonly path: string;
  readonly text: string;
  readonly before: string | null;
}

const mostCells = 4_000_000;

/**
 * The numbers, from 1, of the lines of `now` that `before` does not have at that place: the longest common subsequence
 * of lines stays. Every line if there was no file, or if the two are too large to compare so (beyond 2,000 by 2,000
 * lines that differ).
 */
export function changedLines(before: string | null, now: string): ReadonlySet<number> {
  const present = splitLines(now);
  const every = () => new Set(present.map((_line, index) => index + 1));
  if (before === null) return every();
  const old = splitLines(before);
  let head = 0;
  while (head < old.length && head < present.length && old[head] === present[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, present.length) - head && old.at(-1 - tail) === present.at(-1 - tail)) tail += 1;
  const [left, right] = [old.slice(head, old.length - tail), present.slice(head, present.length - tail)];
  if (left.length * right.length > mostCells) return new Set(right.map((_line, index) => head + index + 1));
  const kept = commonLines(left, right);
  return new Set(right.flatMap((_line, index) => (kept.has(index) ? [] : [head + index + 1])));
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
