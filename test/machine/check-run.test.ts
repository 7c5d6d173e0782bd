import assert from "node:assert/strict";
import { test } from "node:test";
import { checksHold, failedChecks, stoodStill } from "../../lib/machine/check-run.ts";
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

test("a run stood still where the fingerprint did, and no path is told to have moved", () => {
  assert.equal(stoodStill(checkRun()), true);
  assert.equal(stoodStill(checkRun([], { moved: ["a"] })), false);
  assert.equal(stoodStill(checkRun([], { fingerprint_before: "f0" })), false);
});

test("checks hold where every required one passed and the repo stood still", () => {
  assert.equal(checksHold(checkRun([check(), failing({ required: false })])), true);
  assert.equal(checksHold(checkRun([failing()])), false);
  assert.equal(checksHold(checkRun([check()], { moved: ["a"] })), false);
  assert.equal(checksHold(checkRun([check()], { fingerprint_before: "f0" })), false);
});
