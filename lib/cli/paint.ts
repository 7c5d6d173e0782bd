import { styleText } from "node:util";
import type { Verdict } from "../rules/decision.ts";
import type { StandingAnswer } from "../rules/standing-facts.ts";
import { cellsOf } from "../text/cells.ts";
import { escapeForTerminal } from "../text/shorten.ts";

/** How a piece of a line may look; without colour it is only its text. */
const styles = {
  good: "green",
  warn: "yellow",
  bad: "red",
  note: "cyan",
  heading: "bold",
  quiet: "dim",
} as const;
export type Style = keyof typeof styles;

export type Piece = string | { readonly style: Style; readonly text: string };
export type Line = string | readonly Piece[];

export function paint(style: Style, text: string): Piece {
  return { style, text };
}

export function piecesOf(line: Line): readonly Piece[] {
  return typeof line === "string" ? [line] : line;
}

export function plainText(line: Line): string {
  return piecesOf(line)
    .map((piece) => (typeof piece === "string" ? piece : piece.text))
    .join("");
}

/** The line as it is written: what its text holds is escaped, and only our own styles reach the terminal. */
export function renderLine(line: Line, color: boolean): string {
  return piecesOf(line)
    .map((piece) => {
      if (typeof piece === "string") return escapeForTerminal(piece);
      const text = escapeForTerminal(piece.text);
      return color && text !== "" ? styleText(styles[piece.style], text, { validateStream: false }) : text;
    })
    .join("");
}

export const verdictStyles: Readonly<Record<Verdict, Style>> = {
  accepted: "good",
  redirected: "warn",
  rejected: "bad",
  no_progress: "warn",
  unavailable: "warn",
  interrupted: "warn",
};

export const toneStyles: Readonly<Record<StandingAnswer["tone"], Style>> = {
  good: "good",
  amber: "warn",
  working: "note",
  asking: "warn",
  stopped: "bad",
  quiet: "quiet",
};

/** The rows as lines, each column as wide as its widest cell; the last one is not filled up. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cellsOf(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + " ".repeat((widths[column] ?? 0) - cellsOf(cell)),
      )
      .join("  ")
      .trimEnd(),
  );
}

export function titledColumns(titles: readonly string[], rows: readonly (readonly string[])[]): Line[] {
  const [title = "", ...rest] = alignColumns([titles, ...rows]);
  return [[paint("heading", title)], ...rest];
}
