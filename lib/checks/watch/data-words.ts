import type { CheckResult } from "../../rules/check-run.ts";
import { escapePattern } from "../../text/escape-pattern.ts";
import { lastPart } from "./places.ts";

/** The name of a file as a word of its own. */
export function namesFile(path: string): RegExp {
  return new RegExp(`(?<![\\w.-])${escapePattern(lastPart(path))}(?![\\w-])`);
}

/** True for binary data that was read as text, such as a picture. */
export function isBinary(text: string | null): boolean {
  return text !== null && /[\0\ufffd]/.test(text);
}

const leaveAlone = /\b(?:not|never|no|without|leave|keep|untouched|unchanged|don't|doesn't|mustn't)\b/i;

/** Whether the brief asks for a change of a file: a sentence names it, and does not say to leave it alone. */
export function asksFor(brief: string, path: string, isPicture: boolean): boolean {
  const stem = lastPart(path).replace(/\.\w+$/, "");
  const name = isPicture ? new RegExp(`(?<![\\w.-])${escapePattern(stem)}(?![\\w-])`, "i") : namesFile(path);
  return sentencesOf(brief).some((sentence) => name.test(sentence) && !leaveAlone.test(sentence));
}

const removes =
  /\b(?:remov|delet|drop|tak|cut|strip|shorten|clean|mov|renam|replac|merg|dedup|prun|fewer|less|out)\w*/i;

/** Whether a sentence that names a file is also about something that goes. */
export function asksToRemove(brief: string, path: string): boolean {
  const name = namesFile(path);
  return sentencesOf(brief).some((sentence) => name.test(sentence) && removes.test(sentence));
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|\n/);
}

/** Whether a text has lost values and gained none. */
export function onlyLost(before: string | null, now: string | null): boolean {
  return lostValue(before, now) && (now === null || !lostValue(now, before));
}

/**
 * Whether a value of the old text occurs less often in the new one. Data that is no longer text has lost all its
 * values.
 */
export function lostValue(before: string | null, now: string | null): boolean {
  if (before === null) return false;
  if (now === null || isBinary(before)) return before !== now;
  const left = new Map<string, number>();
  for (const word of wordsOf(now)) left.set(word, (left.get(word) ?? 0) + 1);
  return wordsOf(before).some((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count === 0;
  });
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_.-]+/u).filter((word) => word !== "");
}

/** Lines in which a test runner of the repo's own may name what failed. */
const namedFailure = /^\W*(?:not ok|fail(?:ed|ure)?|error)\b\W+([\w./ -]{2,80}?)(?=[:,;(]|$)/gim;

/** The names of the tests that failed before the work, in full and without their enclosing suite. */
export function failedNames(results: readonly CheckResult[]): string[] {
  const failed = results.filter(({ status }) => status !== "pass");
  const names = failed.flatMap(({ failure, excerpt }) => [
    ...(failure?.tests ?? []),
    ...[...excerpt.matchAll(namedFailure)].map(([, name = ""]) => name.trim()),
  ]);
  const short = names.flatMap((name) => [
    name,
    ...name.split(/::| [>›] |[.\s(]/).slice(0, 3),
    name.split(/::| [>›] /).at(-1) ?? "",
  ]);
  return [...new Set(short)].filter((name) => name.length > 2);
}

/** Whether the new lines of a text name a test that failed before the work: a list of what may fail does. */
export function exempts(failed: readonly string[], before: string | null, now: string | null): boolean {
  const old = new Set(before?.split(/\r?\n/));
  const fresh = (now ?? "").split(/\r?\n/).filter((line) => !old.has(line));
  return failed.some((name) => {
    const word = new RegExp(`(?<![\\w/.-])${escapePattern(name)}(?![\\w-])`);
    return fresh.some((line) => word.test(line));
  });
}
