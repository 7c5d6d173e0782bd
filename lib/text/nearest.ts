import { nameSome, shorten } from "./shorten.ts";

/**
 * The likely meant word: at most one edit in three characters, ignoring case, `-`, `_` and spaces; the first of equals.
 * Otherwise the same word with another ending: `shaping` is `shape`.
 */
export function nearestWord(word: string, words: readonly string[]): string | null {
  const wanted = plain(word).slice(0, 100);
  const reach = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly word: string; readonly distance: number } | null = null;
  for (const candidate of words) {
    const distance = editDistance(wanted, plain(candidate));
    const near = distance <= reach && distance < Math.max(wanted.length, 1);
    if (near && (best === null || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word ?? withUnit(wanted, words) ?? otherEnding(wanted, words);
}

/** The one word that `wanted` is the first part of: `money` is `money_usd`. */
function withUnit(wanted: string, words: readonly string[]): string | null {
  const [only, ...others] = words.filter((word) => plain(word).startsWith(`${wanted}_`));
  return wanted.length < 3 || others.length > 0 ? null : (only ?? null);
}

/**
 * The longest word of five letters or more that begins `wanted`, up to its last letter, and is more than half as long.
 */
function otherEnding(wanted: string, words: readonly string[]): string | null {
  const stems = words.filter((word) => {
    const letters = plain(word);
    return (
      /^[a-z]{5,}$/.test(letters) && wanted.length <= 2 * letters.length && wanted.startsWith(letters.slice(0, -1))
    );
  });
  return stems.reduce<string | null>((best, word) => (word.length > (best ?? "").length ? word : best), null);
}

function plain(word: string): string {
  return word.trim().toLowerCase().replace(/[-\s]/g, "_");
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

const mostNames = 8;

/** Advice for an unknown name: the nearest one, and the known ones up to `mostNames`. */
export function renderKnownNames(name: string, known: readonly string[], what: string): string | null {
  if (known.length === 0) return null;
  const near = nearestWord(name, known);
  return `${near === null ? "" : `did you mean ${shorten(near)}? `}${what}: ${nameSome(known, mostNames, 60)}`;
}
