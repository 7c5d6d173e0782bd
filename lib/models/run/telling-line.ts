import { stripVTControlCharacters } from "node:util";

/**
 * The line of a program's last words that most likely says why it failed: the last exception, else the first that
 * speaks of an error, else the last. Stack frames are passed over. Null if there is none.
 */
export function tellingLine(text: string): string | null {
  const lines = stripVTControlCharacters(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("at "));
  return (
    // An exception with its name, before a line of the program's source that a trace quotes.
    // The last: one of an earlier try, or the one under which another was raised, is not how it ended.
    lines.findLast((line) =>
      /^(?:Uncaught )?(?:[\w.]+(?:Error|Exception)|panic|fatal|error)\b[^:]{0,80}:/i.test(line),
    ) ??
    lines.find((line) => /error|cannot|could not|not found|denied|refused|failed/i.test(line)) ??
    lines.at(-1) ??
    null
  );
}
