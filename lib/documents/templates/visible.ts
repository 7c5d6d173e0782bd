import { oneLine } from "../../rules/wording.ts";
import { escapeForTerminal } from "../../text/shorten.ts";

/**
 * The text with every hidden or reordering character spelled out; newlines and tabs stay, CR LF becomes LF. Nothing
 * that this returns can move a cursor, reverse a line or hide a letter, in a terminal, a page or a prompt.
 */
export function showHidden(text: string): string {
  return escapeForTerminal(text.replace(/\r\n/g, "\n"));
}

/** As `showHidden`, on one line: runs of white space become one space. */
export function showOneLine(text: string): string {
  return oneLine(showHidden(text));
}

/** At most `max` characters of one line, ending with `…` if something was cut. */
export function showShort(text: string, max = 200): string {
  // Text far beyond the cut need not be checked.
  const near = text.length > max * 20 ? `${text.slice(0, max * 20)}…` : text;
  const line = [...showOneLine(near)];
  if (line.length <= max) return line.join("");
  const kept = line.slice(0, max - 1).join("");
  return `${kept.trimEnd()}…`;
}
