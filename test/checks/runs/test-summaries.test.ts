import assert from "node:assert/strict";
import { test } from "node:test";
import { countTests } from "../../../lib/checks/runs/run-checks.ts";
import { recordedOutput } from "./recorded-output.ts";

/** What each runner printed of two to six small tests, and `[ran, failed, skipped]` in it; null: it tells no count. */
const recorded: Readonly<Record<string, readonly [number, number, number] | null>> = {
  "node20-spec": [6, 1, 2],
  "node20-tap": [6, 1, 2],
  "node20-file": [3, 0, 0],
  "node22-spec": [6, 1, 2],
  "node26-spec": [3, 1, 2],
  "node26-file": [3, 1, 2],
  tape: [2, 1, 0],
  "tap-18": [3, 1, 2],
  uvu: [3, 1, 1],
  "mocha-tap": [3, 1, 0],
  mocha: [3, 1, 1],
  "mocha-12": [3, 1, 2],
  jest: [3, 1, 2],
  "jest-30": [3, 1, 2],
  vitest: [3, 1, 2],
  "vitest-4": [4, 1, 2],
  ava: [2, 1, 2],
  bun: [2, 1, 2],
  deno: [3, 1, 1],
  pytest: [5, 1, 1],
  "pytest-q": [5, 1, 1],
  "pytest-q-ok": [1, 0, 0],
  "pytest-none": [0, 0, 0],
  "pytest-9-q": [5, 2, 1],
  unittest: [5, 2, 1],
  "unittest-ok": [1, 0, 0],
  go: null,
  "go-v": [3, 2, 1],
  "go-json": [3, 2, 1],
  cargo: [3, 1, 1],
  "cargo-1.95": [3, 1, 1],
  maven: [4, 1, 1],
  gradle: [2, 1, 1],
  "junit-console": [3, 1, 1],
  "junit-xml": [5, 1, 2],
  "mocha-12-xunit": [3, 1, 2],
  minitest: [5, 4, 1],
  "test-unit": [3, 2, 2],
  rspec: [3, 2, 2],
  "rspec-unloaded": [0, 0, 0],
  exunit: [4, 3, 2],
  "exunit-none": [0, 0, 0],
  busted: [4, 3, 1],
  "busted-gtest": [4, 3, 1],
  "busted-tap": [4, 3, 1],
  "busted-unloaded": [0, 0, 0],
  "busted-none": [0, 0, 0],
  prove: [7, 2, 0],
  "prove-v": [3, 2, 2],
  "prove-none": [0, 0, 0],
  phpunit: [4, 2, 2],
  "phpunit-ok": [1, 0, 1],
  "phpunit-none": [0, 0, 0],
  googletest: [2, 1, 1],
  catch2: [3, 1, 0],
  "catch2-none": [0, 0, 0],
  ctest: [2, 1, 1],
  "ctest-none": [0, 0, 0],
};

for (const [name, expected] of Object.entries(recorded)) {
  test(`the tests in the output of ${name} are counted`, () => {
    const counts = countTests(recordedOutput(name));
    assert.deepEqual(counts && [counts.ran, counts.failed, counts.skipped], expected);
  });
}

test("the counts of several runs are added up", () => {
  const two = `${recordedOutput("jest")}\n${recordedOutput("jest")}\n${recordedOutput("pytest-q-ok")}`;
  assert.deepEqual(countTests(two), { ran: 7, failed: 2, skipped: 4 });
  assert.deepEqual(countTests(`${recordedOutput("node20-file")}\n${recordedOutput("node22-spec")}`), {
    ran: 9,
    failed: 1,
    skipped: 2,
  });
});

test("points of TAP are counted where nothing sums them up", () => {
  assert.deepEqual(countTests("1..4\r\nok 1 adds\r\nnot ok 2 two\r\nok 3 three # skip no\r\nnot ok 4 # TODO\r\n"), {
    ran: 2,
    failed: 1,
    skipped: 2,
  });
});

test("other runs of the same tools are read too", () => {
  assert.deepEqual(countTests("===== no tests ran in 0.01s ====="), { ran: 0, failed: 0, skipped: 0 });
  assert.deepEqual(countTests("2 passed, 1 warning in 75.10s (0:01:15)"), { ran: 2, failed: 0, skipped: 0 });
  assert.deepEqual(countTests("1 passed, 1 error in 1.33s"), { ran: 2, failed: 1, skipped: 0 });
  assert.deepEqual(countTests("Ran 0 tests in 0.000s\n\nNO TESTS RAN"), { ran: 0, failed: 0, skipped: 0 });
  assert.deepEqual(countTests("Tests:       5 skipped, 5 total"), { ran: 0, failed: 0, skipped: 5 });
  assert.deepEqual(countTests("  3 tests passed\n"), { ran: 3, failed: 0, skipped: 0 });
});

test("documented forms that no recording has are read too", () => {
  const rows: readonly (readonly [output: string, ran: number, failed: number, skipped: number])[] = [
    ["64 runs, 304 assertions, 0 failures, 0 errors, 0 skips", 64, 0, 0],
    ["0 runs, 0 assertions, 0 failures, 0 errors, 0 skips", 0, 0, 0],
    ["3 doctests, 155 tests, 0 failures, 1 skipped, 2 excluded", 155, 0, 3],
    ["1 doctest, 2 properties, 1 feature, 4 tests, 1 failure", 8, 1, 0],
    ["2 tests, 0 failures, 2 invalid", 2, 2, 0],
    ["1 example, 0 failures", 1, 0, 0],
    ["Finished in 0.02 seconds (files took 0.1 seconds to load)\n0 examples, 0 failures", 0, 0, 0],
    ["31 successes / 0 failures / 0 errors / 0 pending : 0.3 seconds", 31, 0, 0],
    ["[==========] 6 tests from 1 test file ran. (8.97 ms total)\n[  PASSED  ] 6 tests.", 6, 0, 0],
    ["Files=1, Tests=65,  0 wallclock secs ( 0.02 usr  0.00 sys +  0.03 cusr  0.01 csys =  0.06 CPU)", 65, 0, 0],
    ["OK (3 tests, 5 assertions)", 3, 0, 0],
    ["Ran 3 tests in 0.001s\n\nOK (expected failures=1)", 3, 0, 0],
    ["Tests: 1, Assertions: 1, Errors: 1, Failures: 1.", 1, 1, 0],
    ["Tests: 3, Assertions: 5, Failures: 1, Skipped: 1.", 2, 1, 1],
    ["Tests: 2, Assertions: 2, PHPUnit Errors: 1, PHPUnit Deprecations: 3.", 2, 0, 0],
    ["Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms - a.dll (net8.0)", 3, 0, 1],
    ["Failed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2, Duration: 5 ms - b.dll (net8.0)", 2, 1, 0],
    ["Test summary: total: 17, failed: 1, succeeded: 15, skipped: 1, duration: 1.0s", 16, 1, 1],
    ["No test is available in /repo/a.dll. Make sure that test discoverer & executors are registered", 0, 0, 0],
    [
      [
        "Test Case 'ATests.testOne' failed (0.1 seconds)",
        "Test Case 'ATests.testTwo' skipped (0.1 seconds)",
        "Test Suite 'ATests' failed at 2026-01-01 10:00:00.000",
        "\t Executed 3 tests, with 1 test skipped and 2 failures (0 unexpected) in 0.2 (0.2) seconds",
        "Test Suite 'All tests' failed at 2026-01-01 10:00:00.000",
        "\t Executed 3 tests, with 1 test skipped and 2 failures (0 unexpected) in 0.2 (0.2) seconds",
        '➜  Test left() skipped: "later"',
        "✘  Test wrong() failed after 0.001 seconds with 1 issue.",
        "✘  Test run with 3 tests in 1 suite failed after 0.002 seconds with 1 issue.",
      ].join("\n"),
      4,
      2,
      2,
    ],
    ["[doctest] test cases:  2 |  1 passed | 1 failed | 0 skipped", 2, 1, 0],
    ["All tests passed (4 assertions in 3 test cases)", 3, 0, 0],
    ["100% tests passed, 0 tests failed out of 2\n[==========] 9 tests from 1 test suite ran. (1 ms total)", 2, 0, 0],
    ["[INFO] No tests to run.", 0, 0, 0],
  ];
  for (const [output, ran, failed, skipped] of rows) {
    assert.deepEqual(countTests(output), { ran, failed, skipped }, output);
  }
});

test("an output without counts has none, whatever it says of tests", () => {
  for (const output of [
    "",
    "ok\n",
    "all tests pass\n",
    "12 tests\n",
    "# tests 99\n",
    "ok  \ta\t0.003s\n",
    "Tests: see below\n",
    "5 passing\n",
    "1 passed\n",
    "0 failures\n",
    "3 files, 4 expectations, 0 failures\n",
    "Tests=3\n",
    "Executed 3 tests, with 0 failures\n",
  ]) {
    assert.equal(countTests(output), null, JSON.stringify(output));
  }
});

test("a long output is read in time that grows with its length alone", () => {
  const started = process.cpuUsage().user;
  countTests(
    `${"1 a, ".repeat(200_000)}\n${" ".repeat(1_000_000)}\n${"= ".repeat(300_000)}\nTests:  1${" ".repeat(500_000)}`,
  );
  assert.ok(process.cpuUsage().user - started < 5_000_000);
});
