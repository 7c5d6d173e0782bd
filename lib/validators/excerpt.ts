import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "../text/redact.ts";
import { escapeForTerminal } from "../text/terminal.ts";

const longest = 2_000;

/** The end of an output, at most 2,000 characters and from a line's start where it can be: without colours, redacted, safe to print. */
export function excerptOf(output: string, redactor: Redactor): string {
  // Redacted again after the colours are gone: they may have stood in the middle of a secret.
  const plain = redactor.redact(stripVTControlCharacters(output.replaceAll("\r\n", "\n")));
  const text = escapeForTerminal(plain.slice(-longest * 2)).trim();
  if (text.length <= longest) return text;
  const end = text.slice(-longest);
  const lineStart = end.indexOf("\n") + 1;
  return lineStart > 0 && lineStart < longest / 2 ? end.slice(lineStart) : end.replace(/^[\u{dc00}-\u{dfff}]/u, "");
}
