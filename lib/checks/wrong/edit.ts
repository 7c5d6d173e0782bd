/** One replacement in a text, between two offsets in UTF-16 units. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text with these edits, none of which may overlap another. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((one, other) => one.from - other.from)) {
    parts.push(text.slice(at, edit.from), edit.text);
    at = edit.to;
  }
  return parts.join("") + text.slice(at);
}

export function linesOf(text: string) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    /** The number, from 1, of the line in which an offset is. */
    lineAt(offset: number) {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      return low + 1;
    },
    /** The offset at which a line begins; the end of the text if there is no such line. */
    startOf: (line: number) => starts[line - 1] ?? text.length,
  };
}

/** Finds something for each line only once, null too: a minified source has a single line. */
export function remember<T>(find: (key: number) => T): (key: number) => T {
  const found = new Map<number, T>();
  return (key) => {
    const known = found.get(key);
    if (known !== undefined) return known;
    const there = find(key);
    found.set(key, there);
    return there;
  };
}
