/** One replacement in a text, between two offsets in UTF-16 units. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text with these edits, none of which may overlap another. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.from - one.from)
    .reduce((made, edit) => made.slice(0, edit.from) + edit.text + made.slice(edit.to), text);
}

/** Gives the number, from 1, of the line in which an offset is. */
export function linesOf(text: string): { lineAt(offset: number): number } {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    lineAt(offset) {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      return low + 1;
    },
  };
}
