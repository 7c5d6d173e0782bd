import assert from "node:assert/strict";
import { test } from "node:test";
import { findMatrix } from "../../../lib/pages/model/matrix-section.ts";
import { check } from "../../rules/arrange.ts";
import { cell, matrix } from "../../rules/matrix-facts.ts";
import { verdict } from "../sample-task.ts";

test("a run that was not made, since it is equal to another, has the results of that one and no log", () => {
  const proof = matrix({ clean: cell(), old_checks: cell([check()], "clean"), without: null, wrong: null });
  const section = findMatrix([verdict(1, { matrix: proof })], [check({ status: "fail" })]);
  const { log } = check();
  assert.deepEqual(section?.runs, ["before", "clean", "old_checks"]);
  assert.deepEqual(section?.checks, [
    {
      name: "tests",
      marks: [
        { status: "fail", path: log, good: true },
        { status: "pass", path: log, good: true },
        { status: "pass", path: null, good: true },
      ],
    },
  ]);
});
