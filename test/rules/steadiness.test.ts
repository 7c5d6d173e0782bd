import assert from "node:assert/strict";
import { test } from "node:test";
import { gradeProof } from "../../lib/rules/matrix.ts";
import { failedOn, renderBeside, renderUnsteady, type UnsteadyCheck, withPassed } from "../../lib/rules/steadiness.ts";
import { check, checkRun, failing, verdictEvent } from "./arrange.ts";
import { matrix } from "./matrix-facts.ts";

const unsteady = (fields: Partial<UnsteadyCheck> = {}): UnsteadyCheck => ({
  ...{ name: "tests", kind: "since", failed: 1, ran: 2, before: { failed: 0, ran: 3 }, passes: null, tests: [] },
  log: "a.log",
  ...fields,
});
const place = { state: "s", contract: "c" };
const ran = (pass: number, checks: ReturnType<typeof checkRun>, of = matrix()) =>
  verdictEvent("verify", "verify", place, { pass, checks, matrix: of });

test("each kind of unsteady check is said in one sentence", () => {
  assert.deepEqual(
    [
      renderUnsteady(unsteady()),
      renderUnsteady(unsteady({ before: null, tests: ["a", "b", "c", "d"] })),
      renderUnsteady(unsteady({ kind: "before", failed: 1, ran: 3, before: { failed: 1, ran: 2 }, tests: ["wide"] })),
      renderUnsteady(unsteady({ kind: "before", before: null })),
      renderUnsteady(unsteady({ kind: "once", passes: { passed: 8, failed: 6 } })),
      renderUnsteady(unsteady({ kind: "beside" })),
      renderBeside(["tests", "e2e"]),
      renderBeside(["tests"]),
    ],
    [
      "since this work, tests fails 1 of 2 times; before it, 0 of 3",
      "since this work, tests fails 1 of 2 times; before it, not known (a, b, c)",
      "tests fails 1 of 3 times on the same code; before this work, 1 of 2 times (wide)",
      "tests fails 1 of 2 times on the same code; before this work, not run",
      "tests: the same code failed in pass 6 and passed in pass 8",
      "tests fails beside other checks, and passes alone",
      "tests and e2e fail side by side; the checks now run one after the other",
      "tests fails beside other checks; the checks now run one after the other",
    ],
  );
});

test("a failure of an earlier pass on this code is known, unless it was excused", () => {
  const failed = (events: Parameters<typeof failedOn>[0], on = "f1") => [...failedOn(events, on)];
  assert.deepEqual(failed([ran(4, checkRun([failing()]))]), [["tests", 4]]);
  assert.deepEqual(failed([ran(4, checkRun([failing()]))], "f2"), []);
  const once = { ...checkRun(), first: [failing()] };
  assert.deepEqual(failed([ran(4, once, matrix({ steadiness: [unsteady()] }))]), [["tests", 4]]);
  assert.deepEqual(failed([ran(4, once, matrix({ steadiness: [unsteady({ kind: "before" })] }))]), []);
  assert.deepEqual(failed([ran(4, { ...once, beside: true })]), []);
  const inTasks = { by: "other", tests: [], said: "it dislikes files of the tasks alone", in_tasks: true } as const;
  assert.deepEqual(failed([ran(4, checkRun([failing({ failure: inTasks })]))]), []);
});

test("a check that fails names the newest pass in which it passed on the same code", () => {
  const events = [ran(2, checkRun()), ran(3, checkRun()), ran(4, checkRun([failing()]))];
  const passes = (fingerprint: string, result = failing()) =>
    withPassed([result], events, { pass: 5, fingerprint })[0]?.passes;
  assert.deepEqual(
    [passes("f1"), passes("f2"), passes("f1", check())],
    [{ passed: 3, failed: 5 }, undefined, undefined],
  );
});

test("an unsteady check never counts as a failure without the work, and is named with the grade", () => {
  const without = { same_as: null, results: [failing()] };
  const steadiness = [unsteady({ kind: "before" })];
  const proof = gradeProof(checkRun(), matrix({ without, steadiness, unsteady: ["tests"] }));
  assert.deepEqual(
    [proof.grade, proof.reason, proof.unsteady],
    ["unshown", "tests failed and passed on the same files", steadiness.map(renderUnsteady)],
  );
});
