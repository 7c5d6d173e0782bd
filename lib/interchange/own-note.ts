import { showOneLine } from "../templates/visible.ts";

/** Begins the one line of a story's notes that is ours. */
const mark = "[task-phase] ";

/** The notes without our line: what their author wrote. */
export function ownWords(notes: string): string {
  return notes
    .split("\n")
    .filter((line) => !line.startsWith(mark))
    .join("\n");
}

export function hasOwnNote(notes: string): boolean {
  return notes.split("\n").some((line) => line.startsWith(mark));
}

/** The author's words as they are, and our one line behind them. */
export function withOwnNote(notes: string, note: string): string {
  const words = ownWords(notes);
  return `${words}${words === "" ? "" : "\n"}${mark}${showOneLine(note)}`;
}
