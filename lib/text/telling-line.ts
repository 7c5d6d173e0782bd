import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "./redact.ts";

/**
 * The line that most likely explains a failure: the last exception, else the first about a wrong call, else the first
 * test that failed, else the first with an error that is not itself a warning, else the first test that failed by TAP,
 * else the first that begins with a place in a file or names a file that git finds different, else the last. Skips stack
 * frames.
 */
export function tellingLine(text: string): string | null {
  const all = linesOf(text);
  const lines = all.filter((line) => !passedLine.test(line) && !afterwards.test(line));
  const isError = (line: string) => failing.test(line) && !warning.test(line);
  return (
    exceptionIn(lines) ??
    lines.find((line) => wrongCall.test(line)) ??
    lines.find((line) => failedTest.test(line)) ??
    lines.find((line) => isError(line) && !coverage.test(line)) ??
    lines.find((line) => notOk.test(line)) ??
    lines.find(isError) ??
    lines.find((line) => placed.test(line) && !warning.test(line)) ??
    lines.at(-1) ??
    all.at(-1) ??
    null
  );
}

/** A test runner's line about a test that passed, whose name may speak of any error. */
export const passedLine =
  /^\s*(?:[✔✓√] |ok \d+ |--- PASS: |PASS |test \S+ \.\.\. ok$|\[ +OK +\] |# time=|# \{ total: |-+\|)/u;

/** Programs that ran another one say that it failed, npm speaks of itself, TAP names tests, and a table of coverage files. */
const afterwards =
  /^(?:error: (?:doc)?test failed, to rerun pass |make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+$|npm notice\b|error: (?:'test failed'|Test failed)$|(?:# Subtest:|# failed \d+|type:) |[^|]+\|(?: *\d[\d.]* \|){3})/;

/** As AVA, jest, uvu and Rust write it. */
const failedTest = /^(?:✘ \[fail\]:|● .+ ›|FAIL(?= {2}".+"$)|thread '[^'\n]+' (?:\(\d+\) )?panicked at) /u;

/** TAP of a test whose name and assertion speak of no error. */
const notOk = /^not ok \d+ - (?!.*# (?:todo|skip)\b)/i;

/** Jest and pytest-cov fail for the coverage or an obsolete snapshot while every test passes. */
const failing = /error|cannot|could not|\bnot (?:found|meet|met|reached)\b|snapshots? obsolete|denied|refused|failed/i;

/** It may follow from a failed test. */
const coverage = /^(?:error: )?coverage /i;

/** It may speak of errors, and is not why a program ended. */
const warning = /^(?:p?npm |yarn )?\W*warn(?:ing)?\b|^\S*:\d+: \w*Warning:|^\S*:\d+:\d+: (?:warning|note):/i;

/** For example `roman_test.go:7: Of(1) = "X"`. */
const placed = /^(?:[\w./\\-]+\.\w+:\d+(?::\d+)?: \S|diff --git )/;

/** The usage below such a line may contain any word. */
const wrongCall =
  /^(?:unknown|unrecogni[sz]ed|unexpected|invalid|missing) (?:\w+ )?(?:arguments?|options?|flags?|values?)\b/i;

/** Skips source lines that a trace quotes. */
export function exceptionLine(text: string): string | null {
  return exceptionIn(linesOf(text)) ?? null;
}

/** The last: earlier ones may belong to a retry, or be the cause of another. */
function exceptionIn(lines: readonly string[]): string | undefined {
  return lines.findLast(
    (line) =>
      /^(?:Uncaught )?(?:[\w.]+(?:Error|Exception)|panic|fatal|error)\b[^:]{0,80}:./i.test(line) &&
      !coverage.test(line),
  );
}

function linesOf(text: string): string[] {
  return (
    stripVTControlCharacters(text)
      // TAP writes a message of several lines below its key.
      .replace(/^([^\S\r\n]*error: )[|>][-+]?\r?\n\s*/gm, "$1")
      // Node and pytest say below it what was and what should be, and jest what is wrong in its settings.
      .replace(
        /^([^\S\r\n]*(?:(?:error|[\w.]*Error\b[^:\n]{0,80}): .*|● [\w ]*Error):)[ \t]*\r?\n\s*(?!at )(?=\S)/gm,
        "$1 ",
      )
      .replace(
        /^(thread '[^'\n]+' (?:\(\d+\) )?panicked at .*:)\n(.*)(?:\n {2}(left: .*)\n (right: .*))?/gm,
        "$1 $2 $3 $4",
      )
      .split("\n")
      // Pytest marks the lines of an exception.
      .map((line) => line.trim().replace(/^E {3,}(?=[\w.]+(?:Error|Exception)\b)/, ""))
      .filter((line) => line !== "" && !line.startsWith("at "))
  );
}

/** Without colours, with plain line ends. From memory: the model could have written the log file. */
export function finalTextOf(outputTail: string, redactor: Redactor): string {
  const plain = stripVTControlCharacters(outputTail.replace(/\r\n?/g, "\n"));
  // A colour may have split a secret.
  return redactor.redact(plain);
}
