import assert from "node:assert/strict";
import { test } from "node:test";
import { countTests } from "../../lib/validators/count-tests.ts";
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
};

for (const [name, expected] of Object.entries(recorded)) {
  test(`the tests in the output of ${name} are counted`, () => {
    const counts = countTests(recordedOutput(name));
    assert.deepEqual(counts && [counts.ran, counts.failed, counts.skipped], expected);
  });
}

test("what several runs print is added up", () => {
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
