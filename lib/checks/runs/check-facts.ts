import { stripVTControlCharacters } from "node:util";
import type { Attribution, CheckStatus } from "../../rules/check-run.ts";
import type { Redactor } from "../../text/redact.ts";
import { escapeForTerminal } from "../../text/shorten.ts";

const longestName = 60;

/** A file name for the log of each check: safe, readable, and no two alike, even if letter case does not count. */
export function nameLogs(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const slug = slugOf(name);
    let file = `${slug}.log`;
    for (let count = 2; taken.has(file.toLowerCase()); count += 1) file = `${slug}-${count}.log`;
    taken.add(file.toLowerCase());
    return file;
  });
}

function slugOf(name: string): string {
  const slug = name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, longestName)
    .replace(/^[-.]+|[-.]+$/g, "");
  return slug === "" ? "check" : slug;
}

/**
 * Whose doing a result is, against that before the work: `clean` passed then and now, `regressed` passed then only,
 * `fixed` passes now only, `broken_before` passed never. Null if nothing before the work knows the check.
 */
export function attributeResult(
  name: string,
  status: CheckStatus,
  earlier: ReadonlyMap<string, CheckStatus> | null,
): Attribution | null {
  const before = earlier?.get(name);
  if (before === undefined) return null;
  if (status === "pass") return before === "pass" ? "clean" : "fixed";
  return before === "pass" ? "regressed" : "broken_before";
}

const longestExcerpt = 2_000;

/**
 * The end of an output, at most 2,000 characters and from a line's start if it can be: without colours, redacted, safe
 * to print.
 */
export function excerptOf(output: string, redactor: Redactor): string {
  // Redacted again after the colours are gone: they may have been in the middle of a secret.
  const plain = redactor.redact(stripVTControlCharacters(output.replaceAll("\r\n", "\n")));
  const text = escapeForTerminal(plain.slice(-longestExcerpt * 2)).trim();
  if (text.length <= longestExcerpt) return text;
  const end = text.slice(-longestExcerpt);
  const lineStart = end.indexOf("\n") + 1;
  return lineStart > 0 && lineStart < longestExcerpt / 2
    ? end.slice(lineStart)
    : end.replace(/^[\u{dc00}-\u{dfff}]/u, "");
}
