import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckResult } from "../../lib/rules/check-run.ts";
import type { MatrixFacts } from "../../lib/rules/matrix.ts";
import {
  countsInDoubt,
  findFewerTests,
  findForgiven,
  findUnfailing,
  heldOutInDoubt,
  mergeCounts,
} from "../../lib/rules/test-counts.ts";
import { check } from "./arrange.ts";
import { cell, heldOut, matrix } from "./matrix-facts.ts";

const ran = (count: number, log = "a.log", name = "tests") =>
  check({ name, log, command: ["npm", "test"], tests: { ran: count, failed: 0, skipped: 0 } });

test("fewer tests than in an earlier run are reported with both counts and logs", () => {
  const known = mergeCounts(mergeCounts({}, [ran(12, "one.log"), ran(3, "o.log", "other")]), [ran(10, "two.log")]);
  assert.deepEqual(findFewerTests(known, [ran(9, "now.log"), ran(3, "o2.log", "other")]), [
    {
      name: "validator tests",
      kind: "count",
      change: "fewer",
      side: "outside",
      detail: "9 tests now (now.log), 12 tests before (one.log)",
      digest: "9 tests",
    },
  ]);
  assert.deepEqual(findFewerTests(known, [ran(12), ran(14)]), []);
  const again = mergeCounts(known, [ran(12, "three.log")]);
  assert.match(findFewerTests(again, [ran(1)])[0]?.detail ?? "", /12 tests before \(one\.log\)$/);
});

test("a count that is not known, or of another command, is compared with nothing", () => {
  const known = mergeCounts({}, [ran(12), check({ name: "silent" })]);
  assert.deepEqual(findFewerTests(known, [check(), { ...ran(1), command: ["make"] }, ran(1, "a.log", "silent")]), []);
});

test("counts are in doubt where a required check tells none, or fewer", () => {
  const known = mergeCounts({}, [ran(12)]);
  assert.deepEqual(
    [[ran(12)], [ran(11)], [check()], [check({ required: false })], []].map((results) => countsInDoubt(known, results)),
    [false, true, true, false, false],
  );
});

test("a check that passes despite failed tests in its output is reported, unless it did so before the work", () => {
  const forgiven = check({ command: ["npm", "test"], log: "now.log", tests: { ran: 4, failed: 2, skipped: 0 } });
  const failing = { ...forgiven, status: "fail", exit_code: 1 } as const;
  const known = mergeCounts({}, [failing], "before");
  assert.deepEqual(findForgiven(known, [forgiven]), [
    {
      name: "validator tests",
      kind: "count",
      change: "changed",
      side: "outside",
      detail: "its output reports 2 failed tests, but its exit code is 0 (now.log)",
      digest: "2 failed of 4",
    },
  ]);
  assert.deepEqual([countsInDoubt(known, [forgiven]), findForgiven(known, [failing])], [true, []]);
  // Asked once, it is asked again until a person answers.
  assert.equal(findForgiven(mergeCounts(known, [forgiven]), [forgiven]).length, 1);
  assert.deepEqual(findForgiven(mergeCounts({}, [forgiven], "before"), [forgiven]), []);
});

test("a held-out check that passes without a count, or with fewer tests than without the work, is in doubt", () => {
  const held = (more: Partial<CheckResult>) => cell([heldOut(more)]);
  const ranIn = (count: number) => ({ tests: { ran: count, failed: 0, skipped: 0 } });
  const doubted = (clean: Partial<CheckResult>, without: Partial<CheckResult>) =>
    heldOutInDoubt(matrix({ clean: held(clean), without: held(without) }));
  assert.deepEqual(
    [doubted({}, {}), doubted(ranIn(2), ranIn(3)), doubted(ranIn(3), ranIn(3)), doubted(ranIn(3), {})],
    [true, true, false, false],
  );
  assert.deepEqual([heldOutInDoubt(null), doubted({ required: false }, {})], [false, false]);
  assert.deepEqual(
    [doubted({ status: "fail", exit_code: 1 }, {}), doubted({ status: "timeout" }, ranIn(3))],
    [false, false],
  );
  const others = cell([check({ name: "hidden", ...ranIn(9) }), heldOut({ name: "other", ...ranIn(9) })]);
  assert.equal(heldOutInDoubt(matrix({ clean: held(ranIn(3)), without: others })), false);
});

test("a test of pass 1 that passes whatever it expects is named with what was tried, and one of the work is not", () => {
  const tried = { path: "test/a.test.mjs", line: 3, was: "3", made: "4", change: "value", log: null } as const;
  const runs = (...versions: NonNullable<MatrixFacts["wrong_checks"]>["versions"]) =>
    findUnfailing(matrix({ wrong_checks: { checks: ["tests"], versions, left: 0 } }), (path) => `digest of ${path}`);
  const unnoticed = { ...tried, outcome: "unnoticed" } as const;
  assert.deepEqual(runs({ ...unnoticed, stood: true }, { ...unnoticed, line: 9, stood: true }), [
    {
      name: "test/a.test.mjs",
      kind: "test",
      change: "unfailing",
      side: "outside",
      detail: "no check notices line 3: 3 made 4; line 9: 3 made 4",
      digest: "digest of test/a.test.mjs",
    },
  ]);
  assert.deepEqual(runs(unnoticed), []);
  assert.deepEqual(runs({ ...unnoticed, stood: true, change: "words" }), []);
  assert.deepEqual(runs({ ...unnoticed, stood: true }, { ...tried, stood: true, outcome: "noticed" }), []);
  assert.deepEqual(findUnfailing(null, String), []);
});
