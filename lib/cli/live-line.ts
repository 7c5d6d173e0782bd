import { fitCells } from "../text/cells.ts";
import { escapeForTerminal } from "../text/shorten.ts";
import type { OutputStream } from "./io.ts";

/** One line at the bottom of a terminal that is written over in place. */
export interface LiveLine {
  /** Null takes it away. */
  show(text: string | null): void;
  /** Takes it away for what is printed next. */
  clear(): void;
  /** Puts it back below what was printed. */
  again(): void;
}

const eraseLine = "\r\u001b[2K";
const narrow = 80;

export function liveLine(stream: OutputStream & { readonly columns?: number }): LiveLine {
  let shown: string | null = null;
  const write = (text: string | null) => {
    stream.write(text === null ? eraseLine : `${eraseLine}${fit(text, widthOf(stream.columns))}`);
  };
  return {
    show(text) {
      if (shown === null && text === null) return;
      shown = text;
      write(text);
    },
    clear() {
      if (shown !== null) write(null);
    },
    again() {
      if (shown !== null) write(shown);
    },
  };
}

/** A terminal that does not know its width says 0. */
function widthOf(columns: number | undefined): number {
  return columns === undefined || columns === 0 ? narrow : columns;
}

/** A line that wraps could not be taken away again. */
function fit(text: string, columns: number): string {
  return fitCells(escapeForTerminal(text.replace(/\s/g, " ")), Math.max(columns - 1, 1));
}
