import { stripVTControlCharacters } from "node:util";
import type { CheckFailure, CheckResult } from "../../rules/check-run.ts";
import { shorten } from "../../text/shorten.ts";
import { passedLine, tellingLine } from "../../text/telling-line.ts";

export const mostTests = 200;
const longestName = 200;
const longestLine = 1_000;

/**
 * The lines in which test runners name a test that failed: TAP, node:test, pytest, unittest, jest, vitest, uvu, mocha, go
 * test, cargo test, Deno, bun, Surefire, Gradle, JUnit's console, ExUnit, testthat, meson, RSpec, prove, googletest, CTest,
 * Alcotest, OUnit. The first group is its name. Not AVA: it writes what was thrown right behind the name.
 */
const namesOfFailed: readonly RegExp[] = [
  /^\s*not ok \d+ (?:- )?(?!.*# (?:todo|skip)\b)(.+)$/i,
  /^\s*(?:✖|×|✕) (?!failing tests:|\|)(.+)$/u,
  /^(?:FAILED|ERROR) (?!\()(\S+?)(?: - .*)?$/,
  /^(?:FAIL|ERROR): (\S+ \(.+\))$/,
  /^ {2}● (?!Console$|Test suite failed to run$|Cannot log |(?:Validation|Deprecation) |Multiple config)(\S.*)$/u,
  /^ FAIL {2}(.+ > .+)$/,
  /^ {3}FAIL {2}(?:.* )?"(.+)"$/,
  /^\s+\d+\) (?!-|(?:Failure|Error|Skipped):$)(.+?):?$/,
  /^\s*--- FAIL: (\S+)/,
  /"Action":"fail".*"Test":"([^"]+)"/,
  /^test (\S+)(?: - .*)? \.\.\. FAILED$/,
  /^\s*(\S.*) \.\.\. FAILED (?:\(due to .*\) )?\(\d+m?s\)$/,
  /^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$/,
  /^\[ERROR\]\s+(\w+\.\w+):\d+/,
  /^(\w[\w.$]* > .+) FAILED$/,
  /^> \[FAIL\] +\S.*? +\d+ {3}(.+?)\.?$/,
  /^Error: [^\s:]+(?::\d+)+:(?!\s|\d+:|.* \(in the log\)\.$)(.+)\.$/,
  /^ {2}JUnit (?:Jupiter|Vintage):(\S.*)$/,
  /^rspec \S+ # (.+)$/,
  /^\s*#\s+Failed test '(.+)'$/,
  /^(?:── )?(?:Failure|Error) \('?\S+:\d+(?::\d+)?'?\): (.+?)(?: ─+)?$/u,
  /^\s*\d+\/\d+ (\S+(?: \S+)*) +(?:FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS) +\d+\.\d+ ?s\b/,
  /^\[ {2}(?:FAILED|ERROR) {2,3}\] (?!\d+ \w+, listed below:)(?:\S+ @ \d+: )?(.+)$/,
  /^\t *\d+ - (.+?) \((?!Disabled|Skipped)[A-Z][\w ]*\)(?:\s|$)/,
];
/** Patterns of runners that print the name on the next line: minitest, test-unit, busted. */
const namesBelow: readonly RegExp[] = [
  /^\s+\d+\) (?:Failure|Error):\n(.+?)(?: \[[^\]]*:\d+\])?:$/,
  /^=+\n(?:Failure|Error): (.+\([\w:]+\)):?$/,
  /^(?:Failure|Error) (?:->|→) .* @ \d+\n(.+)$/u,
];
/** PHPUnit numbers skipped and risky tests too, below headings of their own. */
const phpunitFailures = /^There (?:was|were) \d+ (?:failure|error)s?:\n([\s\S]*?)(?:^--$|^(?:FAILURES|ERRORS)!$)/gm;
const phpunitName = /(?:^|\n)\n\d+\) (\S+::\w+(?: with data set (?:#\d+|".*?"))?)/g;
/** RSpec lists pending tests as it lists failed ones, and begins with the reason. */
const isPending = /^\s+\d+\) .*\n\s+# /;
const duration = /(?<!\s)\s*(?:# time=|\(|\b)\d+(?:\.\d+)?\s?m?s\)?(?: \{)?$/;

/** Something could not be found, loaded or built, so that a test did not come to what it asks. */
const byLoad =
  /\bE?RR?_?MODULE_NOT_FOUND\b|Cannot find (?:module|package)|^[^\S\r\n]*(?:Uncaught )?(?:\w+: )?SyntaxError\b|does not provide an export named|\b(?:ModuleNotFoundError|ImportError|IndentationError)\b|^error(?:\[E\d+\])?: (?!\w*Error: |Test failed\b|[\s\S]*^\(fail\) )|error TS\d+:|cannot find symbol|undefined reference to|fatal error: .*: No such file|PHP Parse error|Call to undefined function|^\S+: (?:line \d+: )?\S+: (?:command )?not found|No such file\b|\bENOENT\b|can't open (?:file|input)|cannot load such file|error loading module '|^.*\bmodule '[^'\n]+' not found:|\.lua:\d+: .* near (?:<eof>|'.*')$|Compilation failed in require|--compilation aborted|\b(?:due to|had) compilation errors|Can't locate \S+ in @INC|\*\* \((?:Syntax|TokenMissing|MismatchedDelimiter|Compile)Error\)/m;
/** A test runner or a compiler says itself that a file of tests did not come to run. */
const didNotRun =
  /^[^\S\r\n]*#\s+Tried to (?:use|require) '|Test suite failed to run|errors? during collection|\[(?:build|setup) failed\]|could not compile|COMPILATION ERROR|unittest\.loader\._FailedTest/m;
/** pytest, where assertions on the top level of test files, and nothing else, ended its collection. */
const assertsAtTop = /^E {3}(?:AssertionError|assert)\b/m;
const endsCollection = /^E {3}(?!AssertionError\b)(?:\w+\.)*\w*(?:Error|Exception|Exit|Interrupt)\b/m;
const byAssertion =
  /\bAssertionError\b|\bERR_ASSERTION\b|\bOUnitAssert\b|\bAssertionFailedError\b|\bassertion\b[^\n]*\bfailed\b|^E\s+assert\b|\bexpect\(|^[^\S\r\n]*Expected\b|(?<!bad argument #\d+ to [^\n]{0,80})\bexpected\b(?! \(to close )[^\n]*\b(?:got|but|to|actual|was)\b|\bpanicked at\b|^[^\S\r\n]*--- FAIL:|^FAIL: |FAILED \(failures=|^[^\S\r\n]+\d+\) Failure:$|^Failed asserting that\b|\bDID NOT RAISE\b|^[^\S\r\n]*Difference \(- actual, \+ expected\):|^[^\S\r\n]*#\s+Failed test\b/im;
/** node-tap marks the call of the assertion in the source, or what threw there, which it says before. */
const byTap = /^(?<!^[^\S\n]*tapCaught: .*\n(?:.*\n){0,9}?)[^\S\n]*t\.\w+\(.*\n[^\S\n]*-+\^$/m;

/**
 * The language itself ended a test, before or in place of an assertion, or code refused what it got with a standard error,
 * which no test throws to say that a result is wrong.
 */
const byCrash =
  /\b(?:TypeError|ReferenceError|RangeError|AttributeError|NameError|UnboundLocalError|KeyError|IndexError|NoMethodError|NullPointerException|ClassCastException|ValueError|ArgumentError|ZeroDivisionError|DivisionByZeroError|OverflowError|NotImplementedError|(?:Illegal|Invalid)Argument(?:Exception|Error)|IllegalStateException|UnsupportedOperationException|ArithmeticException|NumberFormatException|(?:Domain|OutOfRange)Exception|\w*IndexOutOfBoundsException)\b|panic: runtime error|Segmentation fault|\battempt to (?:index|call|compare|concatenate|perform arithmetic|get length)\b|\bbad argument #\d+ to '|Can't (?:locate object method|call method|use an undefined value)|Can't use .* as an? \w+ ref\b|\bNot an? [A-Z]+ reference\b|Undefined subroutine &|Illegal division by zero|\*\* \((?:UndefinedFunction|FunctionClause|CaseClause|Match|Arithmetic|BadMap|Protocol\.Undefined)Error\)/;

/** How runners of tests and their plugins say that too few lines ran, each when all tests have passed; tap by its table. */
const tooLittleCoverage =
  /^(?:ERROR: |Jest: )?Coverage for \w+ \(.*\) does not meet |coverage threshold for \w+ \(.*\) not met|^(?:FAIL |ERROR: )?Required test coverage of .* not reached|Coverage failure: total of \S+ is less than fail-under|\bcoverage does not meet threshold of\b|^(?:Line|Branch) coverage .*is below the expected minimum coverage|^All files +\|.*\b\d\d?(?:\.\d+)? \|[\s\S]*^# \{ total: (\d+), pass: \1 \}(?:\n[ \t]*(?:# time=.*|npm err.*)?)*(?![\s\S])/im;

/** Jest and vitest count no test of a file that could not be loaded, and no error outside of a test. */
const filesFailed = /^\s*(?:Test (?:Suites:|Files) +\d+ failed|Errors +\d+ error)/m;

/** A step of its own, which runs no test. */
const coverageReport = /^(?:[\w./-]+ )*(?:\S*\/)?(?:coverage report|(?:nyc|c8) (?:report|check-coverage))\b[^;&|\n]*$/;

/**
 * Whether all tests passed, and the check fails only since too little of the code was run. That is no failure on a version that
 * these tests were not written for: old tests do not run new code.
 */
export function failsByCoverage({ status, tests, failure, excerpt, command }: CheckResult): boolean {
  const passed = tests === undefined ? coverageReport.test(command.join(" ")) : tests.ran > 0 && tests.failed === 0;
  const isAlone = failure?.tests.length === 0 && !didNotRun.test(excerpt) && !filesFailed.test(excerpt);
  return status === "fail" && passed && isAlone && tooLittleCoverage.test(excerpt);
}

/**
 * What a failed check failed by, from its own output: the tests that it names, and whether an assertion did not hold or
 * something could not be loaded or built. The runner never guesses: `other` if none of it is in the output.
 */
export function readFailure(output: string): CheckFailure {
  const every = stripVTControlCharacters(output).split(/\r?\n/);
  const text = every.filter((line) => !passedLine.test(line)).join("\n");
  const lines = text.split("\n").filter((line) => line.length <= longestLine);
  const names = lines.flatMap((line, at) => {
    const below = namesBelow.map((pattern) => pattern.exec(`${lines[at - 1]}\n${line}`)?.[1]);
    const here = isPending.test(`${line}\n${lines[at + 1]}`)
      ? []
      : namesOfFailed.map((pattern) => pattern.exec(line)?.[1]);
    const name = [...below, ...here].find((found) => found !== undefined);
    const plain = name?.replace(duration, "").trim().slice(0, longestName) ?? "";
    return plain === "" ? [] : [plain];
  });
  const isAsserted = assertsAtTop.test(text) && !endsCollection.test(text);
  const by = didNotRun.test(isAsserted ? text.replace(/errors? during collection/g, "") : text)
    ? "load"
    : byAssertion.test(text) || byTap.test(text)
      ? "assertion"
      : byLoad.test(text)
        ? "load"
        : byCrash.test(text)
          ? "crash"
          : "other";
  for (const [, part = ""] of text.matchAll(phpunitFailures))
    names.push(...[...part.matchAll(phpunitName)].map(([, name = ""]) => name.slice(0, longestName)));
  // Jest and vitest name a test twice, once without what is around it.
  const ends = new Set(
    names.flatMap((name) => {
      const inFile = /\.[cm]?[jt]sx? > (.+)$/.exec(name)?.[1];
      return [inFile, inFile?.split(" > ").at(-1), name.split(" › ").slice(1).at(-1)];
    }),
  );
  const said = tellingLine(text);
  return {
    by,
    tests: [...new Set(names)]
      .filter((name) => !ends.has(name))
      .sort()
      .slice(0, mostTests),
    said: said === null ? null : shorten(said, longestName),
  };
}
