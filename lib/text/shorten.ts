import { escapeForTerminal } from "./terminal.ts";

/**
 * The text as one safe line of at most `max` characters, for messages that quote what was found: control characters
 * and line breaks are written out, and a cut is marked with `…`.
 */
export function shorten(text: string, max = 60): string {
  // Escaping only makes text longer, so what lies far past the cut need not be looked at.
  const line = escapeForTerminal(text.slice(0, max * 2 + 2))
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t");
  const characters = Array.from(line);
  if (characters.length <= max) return line;
  return max < 1 ? "" : `${characters.slice(0, max - 1).join("")}…`;
}
