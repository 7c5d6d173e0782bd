import { escapeForTerminal } from "../text/terminal.ts";

/**
 * The text with every hidden or reordering character spelled out; newlines and tabs stay, CR LF becomes LF. Nothing
 * that this returns can move a cursor, reverse a line or hide a letter, in a terminal, a page or a prompt.
 */
export function showHidden(text: string): string {
  return escapeForTerminal(text.replace(/\r\n/g, "\n"));
}

/** The same on one line: runs of white space become one space. */
export function showOneLine(text: string): string {
  return showHidden(text).replace(/\s+/g, " ").trim();
}

/** At most `max` characters of one line, ending with `…` where something was cut. */
export function showShort(text: string, max = 200): string {
  const line = [...showOneLine(text)];
  return line.length <= max
    ? line.join("")
    : `${line
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}
