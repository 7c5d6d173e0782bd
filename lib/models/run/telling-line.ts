import { stripVTControlCharacters } from "node:util";

/**
 * The line of a program's last words that most likely says why it failed: the last exception, else the first that
 * says what is wrong with the call, else the first that speaks of an error, else the last. Stack frames are passed over.
 * Null if there is none.
 */
export function tellingLine(text: string): string | null {
  const lines = linesOf(text);
  return (
    exceptionIn(lines) ??
    lines.find((line) => wrongCall.test(line)) ??
    lines.find((line) => /error|cannot|could not|not found|denied|refused|failed/i.test(line)) ??
    lines.at(-1) ??
    null
  );
}

/** Below such a line a program prints its usage, in which any word may stand. */
const wrongCall =
  /^(?:unknown|unrecogni[sz]ed|unexpected|invalid|missing) (?:\w+ )?(?:arguments?|options?|flags?|values?)\b/i;

/** The line of an exception, behind the lines of source that a trace quotes; null if there is none. */
export function exceptionLine(text: string): string | null {
  return exceptionIn(linesOf(text)) ?? null;
}

/** The last: one of an earlier try, or the one under which another was raised, is not how it ended. */
function exceptionIn(lines: readonly string[]): string | undefined {
  return lines.findLast((line) =>
    /^(?:Uncaught )?(?:[\w.]+(?:Error|Exception)|panic|fatal|error)\b[^:]{0,80}:/i.test(line),
  );
}

function linesOf(text: string): string[] {
  return stripVTControlCharacters(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("at "));
}
