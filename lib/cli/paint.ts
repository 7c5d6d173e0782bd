import { styleText } from "node:util";
import type { Verdict } from "../machine/decision.ts";
import type { StandingAnswer } from "../machine/standing-facts.ts";
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

/** A part of a line, with a style or without one. */
export type Piece = string | { readonly style: Style; readonly text: string };
/** One line for people. */
export type Line = string | readonly Piece[];

export function paint(style: Style, text: string): Piece {
  return { style, text };
}

export function piecesOf(line: Line): readonly Piece[] {
  return typeof line === "string" ? [line] : line;
}

/** The line without its styles. */
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
