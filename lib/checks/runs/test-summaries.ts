import type { TestCounts } from "../../rules/check-run.ts";

/** Reads one test runner's own counts in the lines of an output; null if they are not there. */
export type SummaryReader = (lines: readonly string[]) => TestCounts | null;

/** `ran` are the tests that came to a result, so that a skipped test is one less. */
function counts(passed: number, failed: number, skipped: number): TestCounts {
  return { ran: passed + failed, failed, skipped };
}

/** Like `counts`, where a runner prints how many tests there are and not how many passed. */
function countsOf(all: number, failed: number, skipped: number): TestCounts {
  return counts(all - failed - skipped, failed, skipped);
}

/** The sum of those that are there; null if none is. */
export function addCounts(all: readonly (TestCounts | null)[]): TestCounts | null {
  const found = all.filter((one) => one !== null);
  if (found.length === 0) return null;
  const sum = (key: keyof TestCounts): number => found.reduce((total, one) => total + one[key], 0);
  return { ran: sum("ran"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The sum over every line that the pattern fits: a run of several packages prints one summary for each. */
function eachLine(
  pattern: RegExp,
  read: (match: RegExpExecArray, at: number, lines: readonly string[]) => TestCounts | null,
): SummaryReader {
  return (lines) =>
    addCounts(
      lines.map((line, at) => {
        const match = pattern.exec(line);
        return match && read(match, at, lines);
      }),
    );
}

function whole(text: string | undefined): number {
  return Number(text ?? 0);
}

/** The number before each of these words in a list such as `1 failed, 2 passed` or `2 passed | 1 expected fail`. */
function numbersIn(list: string, words: readonly string[]): number {
  return list.split(/[,|]/).reduce((sum, part) => {
    const match = /^\s*(\d+) ([a-z]+(?: [a-z]+)?)/.exec(part);
    return match !== null && words.includes(match[2] ?? "") ? sum + whole(match[1]) : sum;
  }, 0);
}

/** The number after this word in a list such as `Tests: 3, Errors: 1`. */
function numberAfter(list: string, word: string): number {
  return whole(new RegExp(`(?:^|, )${word}: +(\\d+)`).exec(list)?.[1]);
}

/** Counts without more failed tests than ran: some runners count the failures of a test, or what failed to load. */
function atMostAll({ ran, failed, skipped }: TestCounts): TestCounts {
  return { ran, failed: Math.min(ran, failed), skipped };
}

/** `# tests 8`, `# pass 5` and so on, one below the other: node:test as TAP and (with ℹ) as spec, tape, mocha's TAP. */
const tapTotals: SummaryReader = (lines) => {
  const found: TestCounts[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (!/^[#ℹ] tests +\d+$/u.test(lines[at] ?? "")) continue;
    const block = new Map<string, number>();
    for (; at < lines.length; at += 1) {
      const match = /^[#ℹ] (tests|suites|pass|fail|cancelled|skip|skipped|todo) +(\d+)$/u.exec(lines[at] ?? "");
      if (match === null || block.has(match[1] ?? "")) break;
      block.set(match[1] ?? "", whole(match[2]));
    }
    at -= 1;
    const of = (...words: string[]): number => words.reduce((sum, word) => sum + (block.get(word) ?? 0), 0);
    if (block.has("pass")) found.push(counts(of("pass"), of("fail", "cancelled"), of("skip", "skipped", "todo")));
  }
  return addCounts(found);
};

/** `# { total: 5, pass: 2, fail: 1, todo: 1, skip: 1 }`: node-tap, whatever its reporter prints above. */
const nodeTap = eachLine(/^# (\{ total: \d+,.* \})$/, ([, list = ""]) => {
  const of = (word: string): number => whole(new RegExp(` ${word}: (\\d+)`).exec(list)?.[1]);
  return counts(of("pass"), of("fail"), of("skip") + of("todo"));
});

/** `Total: 3`, which leaves out skipped tests, then `Passed: 2` and `Skipped: 1`: uvu. */
const uvu: SummaryReader = (lines) =>
  addCounts(
    [...lines.join("\n").matchAll(/^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)$/gm)].map(
      ([, total, passed, skipped]) => counts(whole(passed), whole(total) - whole(passed), whole(skipped)),
    ),
  );

/** The points of a TAP stream with a plan, as bats and prove print it. */
const tapPoints: SummaryReader = (lines) => {
  if (!lines.some((line) => /^1\.\.\d+/.test(line))) return null;
  return eachLine(/^(not )?ok\b(.*)$/, ([, not, rest = ""]) => {
    if (/# *skip/i.test(rest) || (/# *todo/i.test(rest) && not !== undefined)) return counts(0, 0, 1);
    return not === undefined ? counts(1, 0, 0) : counts(0, 1, 0);
  })(lines);
};

/**
 * `1 failed, 2 passed, 1 skipped in 1.50s`, with or without its rules. An error in a fixture is a failed test. From
 * pytest 9 on, `3 subtests passed` may be among them: parts of a test, which is counted itself.
 */
const pytest = eachLine(
  /^(?:=+ )?((?:\d+ [a-z]+(?: [a-z]+)?(?:, )?)+|no tests ran) in \d[\d.]*s(?: \([\d:]+\))?(?: =+)?$/,
  ([, list = ""]) =>
    counts(
      numbersIn(list, ["passed", "xpassed", "xfailed"]),
      numbersIn(list, ["failed", "error", "errors"]),
      numbersIn(list, ["skipped"]),
    ),
);

/** `Ran 6 tests in 0.001s`, then `OK` or `FAILED (failures=1, skipped=1)`, as Django prints it too. */
const unittest = eachLine(/^Ran (\d+) tests? in [\d.]+s$/, ([, ran], at, lines) => {
  const end = lines.slice(at + 1, at + 4).find((next) => next !== "") ?? "";
  if (!/^(OK|FAILED|NO TESTS RAN)\b/.test(end)) return null;
  const of = (word: string): number => whole(new RegExp(`[( ]${word}=(\\d+)`).exec(end)?.[1]);
  return countsOf(whole(ran), of("(?<!expected )failures") + of("errors") + of("unexpected successes"), of("skipped"));
});

/** jest's `Tests:       1 failed, 2 passed, 3 total` and vitest's `Tests  1 failed | 2 passed (3)`. */
const jestAndVitest = eachLine(/^\s*Tests(?:: +| {2,})(\d.*?)(?:, \d+ total| +\(\d+\))$/, ([, list = ""]) =>
  counts(
    numbersIn(list, ["passed", "expected fail"]),
    numbersIn(list, ["failed"]),
    numbersIn(list, ["skipped", "todo", "pending"]),
  ),
);

/** `2 passing (7ms)`, `1 pending`, `1 failing`, one below the other. */
const mocha = eachLine(/^\s*(\d+) passing \([\d.]+(?:ms|s|m|h)\)$/, ([, passing], at, lines) => {
  const next = lines.slice(at + 1, at + 3);
  const of = (word: string): number =>
    whole(next.map((one) => new RegExp(`^\\s*(\\d+) ${word}$`).exec(one)?.[1]).find((one) => one !== undefined));
  return counts(whole(passing), of("failing"), of("pending"));
});

/** `Ran 3 tests across 1 file.` below ` 2 pass`, ` 1 skip` and so on: bun. */
const bun = eachLine(/^Ran (\d+) tests? across \d+ files?\./, ([, ran], at, lines) => {
  const list = lines
    .slice(Math.max(0, at - 6), at)
    .map((line) => /^ +(\d+ (?:pass|skip|todo|fail))$/.exec(line)?.[1] ?? "");
  return list.some((part) => part.endsWith("pass"))
    ? countsOf(whole(ran), numbersIn(list.join(), ["fail"]), numbersIn(list.join(), ["skip", "todo"]))
    : null;
});

/** `ok | 2 passed (1 step) | 0 failed | 1 ignored (12ms)`: deno. */
const deno = eachLine(/^(?:ok|FAILED) \| (\d+ passed\b.*)$/, ([, list = ""]) =>
  counts(numbersIn(list, ["passed"]), numbersIn(list, ["failed"]), numbersIn(list, ["ignored"])),
);

/** `2 tests passed`, `1 test failed`, `1 test skipped`: AVA, whose last lines are these. */
const ava: SummaryReader = (lines) => {
  const found = lines.flatMap((line) => {
    const match = /^ {2}(\d+) (?:tests?|known failures?|uncaught exceptions?)(?: (passed|failed|skipped|todo))$/.exec(
      line,
    );
    return match === null ? [] : [{ number: whole(match[1]), word: match[2] ?? "" }];
  });
  const of = (...words: string[]): number =>
    found.reduce((sum, { number, word }) => (words.includes(word) ? sum + number : sum), 0);
  const ticks = lines.filter((line) => /^ {2}✔ /u.test(line)).length;
  if (found.length === 0) return null;
  return counts(Math.max(of("passed"), ticks), of("failed"), of("skipped", "todo"));
};

/** The tests and subtests of `go test -v` or `go test -json`. Without -v go prints no test that passed. */
const go: SummaryReader = (lines) => {
  const verbose = lines.some((line) => line.startsWith("=== RUN "));
  return eachLine(
    /^(?:\s*--- (PASS|FAIL|SKIP): \S|\{"Time":.*"Action":"(pass|fail|skip)".*"Test":)/,
    ([, word, action]) => {
      if (word !== undefined && !verbose) return null;
      const end = (word ?? action ?? "").toLowerCase();
      return counts(end === "pass" ? 1 : 0, end === "fail" ? 1 : 0, end === "skip" ? 1 : 0);
    },
  )(lines);
};

/** `test result: ok. 1 passed; 0 failed; 0 ignored; …`, one for each binary. */
const cargo = eachLine(
  /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;/,
  ([, passed, failed, ignored]) => counts(whole(passed), whole(failed), whole(ignored)),
);

/**
 * `Tests run: 5, Failures: 1, Errors: 0, Skipped: 1`: Surefire's line for a module, not those with the time of a class.
 */
const maven = eachLine(
  /^(?:\[[A-Z]+\] +)?(?:Tests run: (\d+), +Failures: (\d+), +Errors: (\d+)(?:, +Skipped: (\d+))?|No tests to run\.)\s*$/,
  ([, ran, failures, errors, skipped]) => countsOf(whole(ran), whole(failures) + whole(errors), whole(skipped)),
);

/** `3 tests completed, 1 failed, 1 skipped`: Gradle, which prints it only if a test failed. */
const gradle = eachLine(
  /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$/,
  ([, completed, failed, skipped]) => countsOf(whole(completed), whole(failed), whole(skipped)),
);

/** `[         2 tests successful      ]`: JUnit's console launcher. */
const junitConsole = eachLine(
  /^\[ +(?:(\d+) tests successful|(\d+) tests failed|(\d+) tests skipped) +\]$/,
  ([, passed, failed, skipped]) => counts(whole(passed), whole(failed), whole(skipped)),
);

const junitXml: SummaryReader = (lines) => {
  if (!lines.some((line) => /^\s*<testsuites?\b/.test(line))) return null;
  // Some reporters write a case and what became of it on one line.
  const of = (element: string): number =>
    lines.filter((line) => new RegExp(`^\\s*(?:<testcase\\b[^<]*>)?<(?:${element})\\b`).test(line)).length;
  const [cases, failed, skipped] = [of("testcase"), of("failure|error"), of("skipped")];
  return counts(Math.max(0, cases - failed - skipped), failed, skipped);
};

/**
 * `6 runs, 4 assertions, 3 failures, 1 errors, 1 skips`: minitest, where its reporters write `tests` for `runs`; and
 * test-unit, which adds `1 pendings, 1 omissions, 0 notifications`.
 */
const minitest = eachLine(
  /^(\d+) (?:run|test)s, \d+ assertions, (\d+) failures, (\d+) errors, (?:(\d+) skips|(\d+) pendings, (\d+) omissions, \d+ notifications)$/,
  ([, all, failures, errors, skips, pendings, omissions]) =>
    countsOf(whole(all), whole(failures) + whole(errors), whole(skips) + whole(pendings) + whole(omissions)),
);

/**
 * `2 examples, 0 failures, 1 pending`: RSpec; `3 doctests, 155 tests, 0 failures, 1 skipped, 2 excluded`: ExUnit, whose
 * line is `0 failures` if it found no test; and bats, if it writes no TAP. The first numbers are of all tests.
 */
const byFailures = eachLine(
  /^((?:\d+ (?:doctests?|propert(?:y|ies)|features?|tests?|examples?), )*)(\d+) failures?((?:, \d+ (?:pending|skipped|excluded|invalid|not run|errors? occurred outside of examples))*)$/,
  ([, all = "", failures, rest = ""], at, lines) => {
    if (all === "" && !/^Finished in \d/.test(lines[at - 1] ?? "")) return null;
    return countsOf(
      [...all.matchAll(/\d+/g)].reduce((sum, [number]) => sum + whole(number), 0),
      whole(failures) + numbersIn(rest, ["invalid"]),
      numbersIn(rest, ["pending", "skipped", "excluded", "not run"]),
    );
  },
);

/**
 * `31 successes / 0 failures / 1 error / 0 pending : 0.3 seconds`: busted. An error that it names by a file and not by
 * a test is no test.
 */
const busted: SummaryReader = (lines) => {
  const totals = eachLine(
    /^(\d+) success(?:es)? \/ (\d+) failures? \/ (\d+) errors? \/ (\d+) pending : [\d.]+ seconds$/,
    ([, passed, failures, errors, pending]) => counts(whole(passed), whole(failures) + whole(errors), whole(pending)),
  )(lines);
  const unloaded = lines.filter(
    (line, at) =>
      /^Error (?:->|→) /u.test(line) && (!/ @ \d+$/.test(line) || (lines[at + 1] ?? "").startsWith("suite ")),
  ).length;
  return (
    totals && { ...totals, ran: Math.max(0, totals.ran - unloaded), failed: Math.max(0, totals.failed - unloaded) }
  );
};

/** `[==========] 3 tests from 1 test suite ran.`, then how many failed or were skipped: googletest, and busted's gtest. */
const googletest: SummaryReader = (lines) => {
  const all = eachLine(
    /^\[(=+| +([A-Z]+) +)\] (\d+) (?:test|error)s?(?: from \d+ test \w+ ran\.|, listed below:)/,
    ([, , word, found]) => {
      const number = whole(found);
      if (word === "SKIPPED") return { ran: -number, failed: 0, skipped: number };
      return { ran: word === undefined ? number : 0, failed: word === undefined ? 0 : number, skipped: 0 };
    },
  )(lines);
  return all && atMostAll(all);
};

/** `test cases: 3 | 1 passed | 1 failed | 1 skipped`: Catch2, which has shorter words where all pass, and doctest of C++. */
const catch2 = eachLine(
  /^(?:(?:\[doctest\] )?test cases: +\d+ \|(.*)|All tests passed \(\d+ assertions? in (\d+) test cases?\)|No tests ran)$/,
  ([, list = "", all]) =>
    counts(
      numbersIn(list, ["passed", "failed as"]) + whole(all),
      numbersIn(list, ["failed"]),
      numbersIn(list, ["skipped"]),
    ),
);

/** `OK (3 tests, 5 assertions)`, `Tests: 3, Assertions: 5, Failures: 1, Skipped: 1.` and `No tests executed!`: PHPUnit. */
const phpunit = eachLine(
  /^(?:OK \((\d+) tests?, \d+ assertions?\)|(Tests: \d+, Assertions: \d+.*)\.|No tests executed!)$/,
  ([, all, list = ""]) => {
    const of = (word: string): number => numberAfter(list, word);
    const skipped = of("Skipped") + of("Incomplete");
    const ran = whole(all) + of("Tests") - skipped;
    return atMostAll({ ran, failed: of("Errors") + of("Failures"), skipped });
  },
);

/** `Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, …` for each assembly: dotnet test. */
const dotnet = eachLine(
  /^(?:(?:(?:Passed|Failed|Skipped)! +- |Test summary: )(.*)|No test (?:is available in|matches the given testcase filter) .*)$/,
  ([, list = ""]) => {
    const of = (...words: string[]): number => words.reduce((sum, word) => sum + numberAfter(list, word), 0);
    return counts(of("Passed", "succeeded"), of("Failed", "failed"), of("Skipped", "skipped"));
  },
);

/**
 * `Executed 3 tests, with 1 test skipped and 1 failure …` of all suites, and `Test run with 2 tests passed after …`: XCTest
 * and Swift Testing, of which `swift test` runs both.
 */
const swift: SummaryReader = (lines) => {
  const ends = (word: string): number => {
    const pattern = new RegExp(
      `^(?:Test Case '.*' ${word} \\(|\\S+ +Test (?!run with ).* ${word}(?: after |[.:]))`,
      "u",
    );
    return lines.filter((line) => pattern.test(line)).length;
  };
  const all = eachLine(/^\S+ +Test run with (\d+) tests? .*(?:pass|fail)ed after /u, ([, found]) =>
    counts(whole(found), 0, 0),
  )(lines);
  const suites = eachLine(/^\s*Executed (\d+) tests?, with /, ([, executed], at) => {
    const isAll = /^Test Suite '(?:All|Selected) tests' (?:pass|fail)ed at /.test(lines[at - 1] ?? "");
    return isAll ? counts(whole(executed), 0, 0) : null;
  })(lines);
  const total = addCounts([suites, all]);
  const skipped = ends("skipped");
  return total && atMostAll({ ran: Math.max(0, total.ran - skipped), failed: ends("failed"), skipped });
};

/** `50% tests passed, 2 tests failed out of 4`: CTest, with those skipped, or whose program is not there, listed below. */
const ctest: SummaryReader = (lines) => {
  const all = eachLine(
    /^(?:\d+% tests passed, (\d+) tests? failed out of (\d+)|No tests were found!!!)$/,
    ([, failed, total]) => counts(whole(total) - whole(failed), whole(failed), 0),
  )(lines);
  const listed = (word: string): number =>
    lines.filter((line) => /^\s*\d+ - /.test(line) && line.includes(` (${word})`)).length;
  const [skipped, absent] = [listed("Skipped"), listed("Not Run")];
  return all && { ran: all.ran - skipped - absent, failed: all.failed - absent, skipped };
};

/** `Files=1, Tests=65, …`: prove, which names the failed ones of a file and says nothing of those that were skipped. */
const prove: SummaryReader = (lines) => {
  const failed = lines.reduce((sum, line) => sum + whole(/ \(Wstat: .* Failed: (\d+)\)$/.exec(line)?.[1]), 0);
  const all = eachLine(/^Files=\d+, Tests=(\d+), /, ([, found]) => counts(whole(found), 0, 0))(lines);
  return all && atMostAll({ ...all, failed });
};

export const summaryReaders: readonly SummaryReader[] = [
  pytest,
  unittest,
  jestAndVitest,
  mocha,
  uvu,
  ava,
  bun,
  deno,
  go,
  cargo,
  maven,
  gradle,
  junitConsole,
  junitXml,
  minitest,
  byFailures,
  busted,
  phpunit,
  dotnet,
  swift,
];

/** Where one of these has counts, those after it tell of the same tests. */
export const nestedReaders: readonly (readonly SummaryReader[])[] = [
  [tapTotals, nodeTap, tapPoints, prove],
  [ctest, (lines) => addCounts([googletest(lines), catch2(lines)].filter((one) => one !== null))],
];
