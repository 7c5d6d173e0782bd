/** A source of chance that gives the same row of numbers for the same seed, on any machine. */
export interface Chance {
  /** From 0 up to, and never, 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True in this share of the calls. */
  happens(share: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

/** `words` keep the rows of one seed apart: what one part draws changes nothing for another. */
export function chanceOf(seed: number, ...words: readonly (string | number)[]): Chance {
  let state = hashOf([seed, ...words].join(" "));
  // Mulberry32.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    happens: (share) => next() < share,
    pick: <Value>(values: readonly Value[]): Value => {
      const value = values[between(0, values.length - 1)];
      if (value === undefined) throw new Error("there is nothing to pick from");
      return value;
    },
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
