import assert from "node:assert/strict";
import { test } from "node:test";
import { headlineOf } from "../../lib/machine/headline.ts";
import { calibrate, cellHolds, gradeProof } from "../../lib/machine/square.ts";
import { check, checkRun, failing } from "./arrange.ts";
import { cell, heldOut, square } from "./square-facts.ts";

const passing = checkRun([check(), check({ name: "lint", required: false })]);

test("a check that fails without the work and passes with it shows the work", () => {
  const proof = gradeProof(passing, square({ counter: cell([failing()]) }));
  assert.deepEqual(proof, {
    grade: "shown",
    passed: 1,
    failing: ["tests"],
    only_own: false,
    wrong: null,
    reason: null,
    looked: [],
  });
  assert.deepEqual(headlineOf(proof), {
    tone: "good",
    text: "Done. The check passes; without this work it fails",
  });
});

test("checks that pass without the work too only show that nothing broke", () => {
  const proof = gradeProof(passing, square());
  assert.deepEqual(proof, {
    grade: "kept",
    passed: 1,
    failing: [],
    only_own: false,
    wrong: null,
    reason: null,
    looked: [],
  });
  assert.deepEqual(headlineOf(proof), {
    tone: "amber",
    text: "Done. Nothing broke, but no check fails without this work",
  });
});

test("an optional check that fails without the work shows nothing", () => {
  const counter = cell([check(), failing({ name: "lint", required: false })]);
  assert.equal(gradeProof(passing, square({ counter })).grade, "kept");
});

test("the headline counts the checks that pass and those that fail without the work", () => {
  const three = checkRun([check(), check({ name: "lint" }), check({ name: "types" })]);
  const counter = cell([failing(), failing({ name: "lint" }), check({ name: "types" })]);
  const proof = gradeProof(three, square({ counter }));
  assert.equal(headlineOf(proof).text, "Done. 3 checks pass; without this work, 2 of them fail");
  const one = gradeProof(three, square({ counter: cell([failing(), check({ name: "lint" })]) }));
  assert.equal(headlineOf(one).text, "Done. 3 checks pass; without this work, 1 of them fails");
});

test("what was not judged is unshown, with its reason", () => {
  const two = checkRun([check(), check({ name: "lint" })]);
  const reasons = [
    gradeProof(two, null),
    gradeProof(two, square({ control: null, no_control: "`proof.clean` is off" })),
    gradeProof(two, square({ counter: null, no_counter: "the code of pass 1 is not kept on this machine" })),
    gradeProof(
      two,
      square({
        control: cell([failing()]),
        calibration: { kind: "differs", reason: "tests: passes in the repo", carried: null, home: null },
      }),
    ),
  ].map(({ grade, reason }) => `${grade}: ${reason}`);
  assert.deepEqual(reasons, [
    "unshown: the checks were not run without the work",
    "unshown: `proof.clean` is off",
    "unshown: the code of pass 1 is not kept on this machine",
    "unshown: the checks do not pass in a clean copy (tests: passes in the repo)",
  ]);
  const proof = gradeProof(two, square({ control: null, no_control: "`proof.clean` is off" }));
  assert.deepEqual(headlineOf(proof), {
    tone: "amber",
    text: "Done. 2 checks pass; whether they notice this work was not shown: `proof.clean` is off",
  });
});

test("a required check that did not pass in the repo is never graded higher", () => {
  const proof = gradeProof(checkRun([failing()]), square({ counter: cell([failing()]) }));
  assert.deepEqual([proof.grade, proof.passed], ["unshown", 0]);
});

test("held-out checks of the control count as checks that pass", () => {
  const proof = gradeProof(passing, square({ control: cell([check(), heldOut()]), counter: cell([failing()]) }));
  assert.equal(proof.passed, 2);
});

test("a repo can be judged in a copy if each required check says the same there", () => {
  const good = { kind: "good", reason: null, carried: null, home: null };
  assert.deepEqual(calibrate([check()], [check()]), good);
  assert.deepEqual(calibrate([failing()], [failing()]), good);
  const counted = (ran: number, failed: number) => failing({ tests: { ran, failed, skipped: 0 } });
  for (const [inRepo, inCopy] of [
    [counted(4, 1), counted(4, 1)],
    [counted(4, 1), failing()],
    [failing(), counted(4, 1)],
  ] as const) {
    assert.deepEqual(calibrate([inRepo], [check({ name: "first" }), inCopy]), good);
  }
  const crash = failing({ exit_code: null, signal: "SIGSEGV" });
  assert.deepEqual(calibrate([crash], [crash]), good);
  // What it cost and said may differ: only how it ended counts.
  assert.deepEqual(calibrate([check({ exit_code: 0, tests: { ran: 4, failed: 0, skipped: 0 } })], [check()]), good);
  const optional = { name: "lint", required: false };
  assert.deepEqual(calibrate([check(), check(optional)], [check(), failing(optional)]), good);
});

test("a check that says something else in the copy, or fails there in another way, does not calibrate", () => {
  const reasons = [
    calibrate([check()], [failing()]),
    calibrate([failing()], [check()]),
    calibrate([check()], []),
    calibrate([failing()], [failing({ exit_code: 2 })]),
    calibrate(
      [failing({ tests: { ran: 4, failed: 1, skipped: 0 } })],
      [failing({ tests: { ran: 4, failed: 4, skipped: 0 } })],
    ),
    calibrate([failing({ exit_code: null, signal: "SIGSEGV" })], [failing({ exit_code: null, signal: "SIGKILL" })]),
    calibrate([check()], [check({ kind: "scenario" }), check({ name: "other" })]),
    calibrate([check({ status: "timeout" })], [check({ status: "not_started" })]),
  ].map(({ kind, reason }) => `${kind}: ${reason}`);
  assert.deepEqual(reasons, [
    "differs: tests: passes in the repo, fails in a clean copy",
    "differs: tests: fails in the repo, passes in a clean copy",
    "differs: tests did not run in the copy",
    "differs: tests fails in a clean copy in a different way than in the repo",
    "differs: tests fails in a clean copy in a different way than in the repo",
    "differs: tests fails in a clean copy in a different way than in the repo",
    "differs: tests did not run in the copy",
    "differs: tests: runs out of time in the repo, cannot start in a clean copy",
  ]);
});

test("a cell holds if every required check of it passed", () => {
  assert.equal(cellHolds(cell([check(), failing({ required: false })])), true);
  assert.equal(cellHolds(cell([check(), check({ status: "timeout" })])), false);
  assert.equal(cellHolds(cell([check({ status: "not_started" })])), false);
});
