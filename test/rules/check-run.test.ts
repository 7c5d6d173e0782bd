import assert from "node:assert/strict";
import { test } from "node:test";
import {
  attributeTests,
  type CheckResult,
  checksHold,
  failedChecks,
  isSameCheck,
  renderAttribution,
  stoodStill,
} from "../../lib/rules/check-run.ts";
import { check, checkRun, failing } from "./arrange.ts";

test("a failed check is a required one that did anything but pass", () => {
  const run = checkRun([
    check(),
    failing({ name: "a" }),
    failing({ name: "b", required: false }),
    failing({ name: "c", status: "timeout" }),
  ]);
  assert.deepEqual(
    failedChecks(run).map((result) => result.name),
    ["a", "c"],
  );
});

test("a validator and a scenario of one name are two checks", () => {
  assert.deepEqual(
    [check(), check({ kind: "scenario" }), check({ name: "other" })].map((one) => isSameCheck(check(), one)),
    [true, false, false],
  );
});

test("an equal fingerprint means that nothing moved, and no path is named", () => {
  assert.equal(stoodStill(checkRun()), true);
  assert.equal(stoodStill(checkRun([], { moved: ["a"] })), false);
  assert.equal(stoodStill(checkRun([], { fingerprint_before: "f0" })), false);
});

test("checks hold if every required one passed and the repo did not change", () => {
  assert.equal(checksHold(checkRun([check(), failing({ required: false })])), true);
  assert.equal(checksHold(checkRun([failing()])), false);
  assert.equal(checksHold(checkRun([check()], { moved: ["a"] })), false);
  assert.equal(checksHold(checkRun([check()], { fingerprint_before: "f0" })), false);
});

const failed = (...tests: readonly string[]) => failing({ failure: { by: "assertion", tests, said: null } });

test("failed tests are compared with the run before the work, and named by their state then", () => {
  const told = (now: CheckResult, before: CheckResult) => attributeTests([now], [before]).map(renderAttribution);
  const both = failed("lower", "widget renders");
  assert.deepEqual(told(both, failed("widget renders", "other")), ["broken before: widget renders; regressed: lower"]);
  assert.deepEqual(told(both, check()), ["regressed: lower, widget renders"]);
  assert.deepEqual(told(both, both), ["broken before: lower, widget renders"]);
  assert.deepEqual(told(failed("a", "b", "c", "d", "e"), check()), ["regressed: a, b, c, d, e"]);
  assert.deepEqual(told(failed("a", "b", "c", "d", "e", "f", "g"), check()), ["regressed: a, b, c, d, e and 2 more"]);
});

test("a check whose output names no test, or that is new, is reported as a whole", () => {
  const told = (now: CheckResult, before: readonly CheckResult[]) =>
    attributeTests([now], before).map(renderAttribution);
  assert.deepEqual(told(failed("a"), []), ["regressed"]);
  assert.deepEqual(told(failed("a"), [failing()]), ["regressed"]);
  assert.deepEqual(told(failing({ attribution: "broken_before" }), [failed("a")]), ["broken before"]);
  assert.deepEqual(told(check({ attribution: null }), [check()]), [""]);
});
