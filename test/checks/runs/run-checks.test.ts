import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import {
  attributeResult,
  type CheckSetRequest,
  type CheckSpec,
  countTests,
  excerptOf,
  nameLogs,
  runChecks,
} from "../../../lib/checks/runs/run-checks.ts";
import { createMark } from "../../../lib/process/mark.ts";
import type { CheckResult, CheckStatus } from "../../../lib/rules/check-run.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { agentPath } from "../../fake-agents/agent-path.ts";
import { patienceMs } from "../../patience.ts";
import { lives, makeFolder, pidIn, plainEnv } from "../../process/arrange.ts";
import { recordedOutput } from "./recorded-output.ts";

function check(name: string, script: string, changes: Partial<CheckSpec> = {}): CheckSpec {
  return { name, command: ["sh", "-c", script], timeoutMs: 10_000, required: true, ...changes };
}

function arrange(t: TestContext, changes: Partial<CheckSetRequest>): CheckSetRequest {
  const folder = makeFolder(t);
  for (const name of ["repo", "logs", "private"]) mkdirSync(join(folder, name));
  return {
    validators: [],
    scenarios: [],
    repo: join(folder, "repo"),
    env: plainEnv,
    logFolder: join(folder, "logs"),
    logRelative: "artifacts/passes/0001/validators",
    redactor: createRedactor({}),
    mark: createMark(join(folder, "private")),
    abort: null,
    before: null,
    graceMs: 150,
    ...changes,
  };
}

const short = (result: CheckResult): unknown[] => [
  result.name,
  result.kind,
  result.status,
  result.exit_code,
  result.attribution,
];
const log = (request: CheckSetRequest, name: string): string => readFileSync(join(request.logFolder, name), "utf8");

test("each check becomes a fact, with its log", async (t) => {
  const request = arrange(t, {
    validators: [check("tests", "pwd; echo broken >&2; exit 2", { required: false })],
    before: new Map([["tests", "pass"]]),
  });
  const { results, ended, aborted } = await runChecks(request);
  assert.deepEqual(
    { results: results.map((one) => ({ ...one, duration_ms: 0 })), ended, aborted },
    {
      results: [
        {
          name: "tests",
          kind: "validator",
          required: false,
          command: ["sh", "-c", "pwd; echo broken >&2; exit 2"],
          status: "fail",
          exit_code: 2,
          signal: null,
          duration_ms: 0,
          attribution: "regressed",
          log: "artifacts/passes/0001/validators/tests.log",
          excerpt: `${request.repo}\nbroken`,
          failure: { by: "other", tests: [], said: "broken" },
        },
      ],
      ended: [],
      aborted: false,
    },
  );
  assert.equal(
    log(request, "tests.log"),
    `$ sh -c 'pwd; echo broken >&2; exit 2'\n\n${request.repo}\nbroken\n\n[task-phase: exit code 2]\n`,
  );
});

test("the tests in a check's output are counted, and none in its command line", async (t) => {
  const request = arrange(t, {
    validators: [
      check("counted", "echo '3 passed, 1 skipped in 0.10s'; echo '1 failed, 1 passed in 0.20s' >&2"),
      check("silent", "true; # \n3 passed in 0.10s"),
    ],
  });
  const { results } = await runChecks(request);
  assert.deepEqual(
    results.map((one) => one.tests),
    [{ ran: 5, failed: 1, skipped: 1 }, undefined],
  );
});

test("a check that ends well and misses what the brief expects of its output has failed", async (t) => {
  const expect = (minTests: number | null, output: string | null) => ({ expect: { minTests, output } });
  const request = arrange(t, {
    validators: [
      check("enough", "echo '12 passed in 0.1s'", expect(12, "12 passed")),
      check("few", "echo '3 passed in 0.1s'", expect(12, null)),
      check("none", "echo fine", expect(1, null)),
      check("words", "echo fine; # 12 passed", expect(null, "12 passed")),
      check("broken", "exit 3", expect(12, null)),
    ],
  });
  const { results } = await runChecks(request);
  assert.deepEqual(
    results.map((one) => [one.name, one.status, one.exit_code, one.unmet]),
    [
      ["enough", "pass", 0, undefined],
      ["few", "fail", 0, "the brief expects at least 12 tests, but its output shows 3 that ran"],
      ["none", "fail", 0, "the brief expects at least 1 test, but its output shows no count of tests"],
      ["words", "fail", 0, 'the brief expects "12 passed" in its output, but it is not there'],
      ["broken", "fail", 3, undefined],
    ],
  );
});

test("the end of one check does not end the others", async (t) => {
  const request = arrange(t, {
    validators: [check("quick", "exit 0"), check("slow", "sleep 0.5 & wait $!; echo whole"), check("bad", "exit 1")],
  });
  const { results, ended } = await runChecks(request);
  assert.deepEqual(results.map(short), [
    ["quick", "validator", "pass", 0, null],
    ["slow", "validator", "pass", 0, null],
    ["bad", "validator", "fail", 1, null],
  ]);
  assert.deepEqual([results[1]?.excerpt, ended], ["whole", []]);
});

test("validators run at the same time, scenarios after them", async (t) => {
  const meet = (mine: string, other: string): string => `touch ${mine}; until [ -e ${other} ]; do sleep 0.02; done`;
  const request = arrange(t, {
    validators: [
      check("a", meet("a", "b"), { timeoutMs: patienceMs }),
      check("b", meet("b", "a"), { timeoutMs: patienceMs }),
    ],
    scenarios: [check("c", "[ -e a ] && [ -e b ]")],
  });
  const { results } = await runChecks(request);
  assert.deepEqual(
    results.map((one) => [one.kind, one.status]),
    [
      ["validator", "pass"],
      ["validator", "pass"],
      ["scenario", "pass"],
    ],
  );
});

test("a check that takes too long, ends by a signal or cannot start is reported as such", async (t) => {
  const runWithin = async (timeoutMs: number) => {
    const request = arrange(t, {
      validators: [
        check("hangs", "sleep 30 & echo working; wait", { timeoutMs }),
        check("crashes", "kill -SEGV $$"),
        check("absent", "", { command: ["no-such-tool", "it's"] }),
      ],
    });
    return { request, timeoutMs, ...(await runChecks(request)) };
  };
  let ran = await runWithin(200);
  // A busy machine may not have come to its word by then.
  while (ran.results[0]?.excerpt === "" && ran.timeoutMs < patienceMs) ran = await runWithin(4 * ran.timeoutMs);
  const { request, timeoutMs, results, ended } = ran;
  assert.deepEqual(
    results.map((one) => [one.status, one.exit_code, one.signal, one.excerpt]),
    [
      ["timeout", null, "SIGTERM", "working"],
      ["fail", null, "SIGSEGV", ""],
      ["not_started", null, null, "not started: no-such-tool was not found"],
    ],
  );
  assert.equal(ended.length, 2, "the shell, and what it waits for");
  assert.ok(log(request, "hangs.log").endsWith(`\n[task-phase: ended at its timeout of ${timeoutMs} ms]\n`));
  assert.match(log(request, "crashes.log"), /\n\[task-phase: ended by SIGSEGV\]\n$/);
  assert.equal(
    log(request, "absent.log"),
    "$ no-such-tool 'it'\\''s'\n\n\n[task-phase: not started: no-such-tool was not found]\n",
  );
});

test("a check that passes and leaves a daemon passes, and the daemon is ended", async (t) => {
  const request = arrange(t, {
    validators: [check("serves", "", { command: [agentPath("leaves-a-daemon.sh"), "pid"] })],
  });
  const { results, ended } = await runChecks(request);
  // It may have been seen first before it was called sleep.
  assert.deepEqual([results[0]?.status, ended.length], ["pass", 1]);
  assert.equal(lives(pidIn(join(request.repo, "pid"))), false);
});

test("an abort cuts the set short", async (t) => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 250);
  const request = arrange(t, {
    abort: abort.signal,
    validators: [check("long", "sleep 30")],
    scenarios: [check("after", "touch ran")],
  });
  const { results, aborted } = await runChecks(request);
  assert.equal(aborted, true);
  assert.deepEqual(
    results.map((one) => one.status),
    ["fail", "fail"],
  );
  assert.match(log(request, "after.log"), /\[task-phase: aborted\]/);
});

test("an error of the disk is thrown only after every check has ended", async (t) => {
  const request = arrange(t, {
    validators: [check("one", "echo $$ > pid; sleep 0.3; touch done"), check("two", "exit 0")],
  });
  mkdirSync(join(request.logFolder, "two.log"));
  await assert.rejects(runChecks(request), { name: "TaskPhaseError", exitName: "failure" });
  assert.equal(lives(pidIn(join(request.repo, "pid"))), false);
});

test("secrets stand neither in the log nor in the result", async (t) => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  const request = arrange(t, { redactor, validators: [check("leaks", "echo correct-horse-battery; exit 1")] });
  const { results } = await runChecks(request);
  assert.equal(`${JSON.stringify(results)}${log(request, "leaks.log")}`.includes("correct-horse"), false);
});

test("a log is named after its check", () => {
  assert.deepEqual(nameLogs(["tests", "type check", "e2e/web: login", "v1.2"]), [
    "tests.log",
    "type-check.log",
    "e2e-web-login.log",
    "v1.2.log",
  ]);
});

test("names that would meet are numbered, also where only letter case tells them apart", () => {
  assert.deepEqual(nameLogs(["lint", "Lint", "lint!", "lint-2"]), [
    "lint.log",
    "Lint-2.log",
    "lint-3.log",
    "lint-2-2.log",
  ]);
});

test("any names give safe and different files", () => {
  assert.deepEqual(nameLogs(["../..", "проверка", "", "\0"]), [
    "check.log",
    "check-2.log",
    "check-3.log",
    "check-4.log",
  ]);
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (names) => {
      const files = nameLogs(names);
      assert.equal(new Set(files.map((file) => file.toLowerCase())).size, names.length);
      for (const file of files) assert.match(file, /^[A-Za-z0-9_][A-Za-z0-9._-]{0,70}\.log$/);
    }),
  );
});

const statuses: CheckStatus[] = ["pass", "fail", "timeout", "not_started"];
const against = (before: CheckStatus) => statuses.map((now) => attributeResult("a", now, new Map([["a", before]])));

test("a check that passed before the work is clean or regressed", () => {
  assert.deepEqual(against("pass"), ["clean", "regressed", "regressed", "regressed"]);
});

test("a check that did not pass before the work is fixed or was broken before", () => {
  const expected = ["fixed", "broken_before", "broken_before", "broken_before"];
  assert.deepEqual(statuses.slice(1).map(against), [expected, expected, expected]);
});

test("without results before the work, or where it does not know the check, nothing is attributed", () => {
  assert.deepEqual(
    [attributeResult("a", "pass", null), attributeResult("a", "fail", new Map([["b", "pass"]]))],
    [null, null],
  );
});

const plain = createRedactor({});

test("a short output is shown whole, without colours and empty ends", () => {
  assert.equal(excerptOf("\n\u001b[31m1 failing\u001b[0m\r\n  at a.js\n\n", plain), "1 failing\n  at a.js");
});

test("a long output is shown by its last whole lines, at most 2,000 characters", () => {
  const all = Array.from({ length: 500 }, (_, n) => `line ${n}`).join("\n");
  const excerpt = excerptOf(all, plain);
  assert.ok(excerpt.length <= 2_000 && excerpt.length > 1_900);
  assert.match(excerpt, /^line \d+\n/);
  assert.ok(all.endsWith(excerpt));
});

test("one long line is shown by its end", () => {
  assert.equal(excerptOf(`${"a".repeat(9_000)}z`, plain), `${"a".repeat(1_999)}z`);
  assert.equal(excerptOf(`x${"😀".repeat(1_000)}a`, plain), `${"😀".repeat(999)}a`);
});

test("control characters are written out", () => {
  assert.equal(excerptOf("a\u0007b\u202ec", plain), "a\\x07b\\u{202e}c");
});

test("a secret that was hidden by a colour in its middle is redacted", () => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  assert.equal(excerptOf("key correct-\u001b[1mhorse-battery.", redactor), "key [redacted:env].");
});

/** What each runner printed of two to six small tests, and `[ran, failed, skipped]` in it; null: it tells no count. */
const recorded: Readonly<Record<string, readonly [number, number, number] | null>> = {
  "node20-spec": [6, 1, 2],
  "node20-tap": [6, 1, 2],
  "node20-file": [3, 0, 0],
  "node22-spec": [6, 1, 2],
  "node26-spec": [3, 1, 2],
  "node26-file": [3, 1, 2],
  tape: [2, 1, 0],
  "mocha-tap": [3, 1, 0],
  mocha: [3, 1, 1],
  "mocha-12": [3, 1, 2],
  jest: [3, 1, 2],
  "jest-30": [3, 1, 2],
  vitest: [3, 1, 2],
  "vitest-4": [4, 1, 2],
  ava: [2, 1, 2],
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
