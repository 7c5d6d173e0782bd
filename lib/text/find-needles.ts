/**
 * Which of many short texts occur, in one walk over a text, however many they are. A table of the hashes of three
 * characters each (after Rabin and Karp; the hash is that of deflate) says at each place whether one can begin there.
 */
export interface NeedleFinder {
  /**
   * Calls `onFound` with the index of each needle that occurs in the text from this offset on, more than once if it
   * occurs more than once.
   */
  find(text: string, from: number, onFound: (needle: number) => void): void;
  /** Of the longest needle. */
  readonly longest: number;
}

const tableSize = 1 << 15;

/** One of at least three characters. */
export interface Needle {
  readonly text: string;
  /** Then it is found however its ASCII letters are written; it is in lower case here. */
  readonly anyCase: boolean;
}

export function createNeedleFinder(needles: readonly Needle[]): NeedleFinder {
  const buckets = new Map<number, number[]>();
  const starts = new Uint8Array(tableSize);
  for (const [index, { text }] of needles.entries()) {
    const hash = [0, 1, 2].reduce((so, at) => next(so, text.charCodeAt(at)), 0);
    starts[hash] = 1;
    buckets.set(hash, [...(buckets.get(hash) ?? []), index]);
  }
  return {
    longest: Math.max(0, ...needles.map(({ text }) => text.length)),
    find(text, from, onFound) {
      let hash = 0;
      for (let at = from; at < text.length; at += 1) {
        hash = next(hash, text.charCodeAt(at));
        if (starts[hash] === 0 || at < from + 2) continue;
        for (const index of buckets.get(hash) ?? []) {
          const needle = needles[index];
          if (needle === undefined) continue;
          const found = text.slice(at - 2, at - 2 + needle.text.length);
          if ((needle.anyCase ? found.toLowerCase() : found) === needle.text) onFound(index);
        }
      }
    },
  };
}

/** Three steps push out what was there before. Bit 5 tells the cases of ASCII letters apart. */
function next(hash: number, code: number): number {
  return ((hash << 5) ^ (code | 0x20)) & (tableSize - 1);
}
