import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeProof, type Wishes } from "../../lib/prove/judge-proof.ts";
import type { CheckResult } from "../../lib/rules/check-run.ts";
import type { MatrixFacts } from "../../lib/rules/matrix.ts";
import type { Proven } from "../../lib/rules/shapes/reports/prove.ts";
import { check, failing } from "../rules/arrange.ts";
import { cell, matrix } from "../rules/matrix-facts.ts";

const plain: Wishes = { acceptTests: false, requireShown: false };
const failed = (tests: readonly string[] = ["adds"], more: Partial<CheckResult> = {}) =>
  failing({ failure: { by: "assertion", tests: [...tests], said: "3 is not 4" }, ...more });
const version = { path: "a.js", line: 2, was: "1", made: "2", change: "value", outcome: "noticed", log: null } as const;
const tried = { checks: ["tests"], versions: [{ ...version, noticed_by: "assertion" as const }], left: 0 };
/** A check fails without the work, and notices a wrong version. */
const shown = matrix({ without: cell([failed()]), wrong: tried, wrong_checks: tried });
const removed = {
  name: "a.test.js",
  kind: "test",
  change: "removed",
  detail: "",
  digest: "gone",
  side: "outside",
  answer: null,
} as const;

function unsteady(kind: "before" | "since") {
  return { ...{ name: "tests", kind, failed: 1, ran: 2 }, ...{ before: null, passes: null, tests: [], log: "" } };
}

function judge(facts: MatrixFacts | null, more: Partial<Proven> = {}, wishes: Partial<Wishes> = {}) {
  const proven: Proven = {
    ...{ paths: ["a.js"], before: [check()], matrix: facts, watched: [], runs: 4, duration_ms: 1, at: "2026-01-01" },
    ...more,
  };
  const { keys, tone, exitName } = judgeProof(proven, "main", { ...plain, ...wishes });
  return { ...keys, tone, exitName, said: [exitName, tone, keys.grade, keys.headline] };
}

test("the exit, the colour and the sentence follow from what the runs showed", () => {
  const rows: readonly (readonly [
    MatrixFacts | null,
    exit: string,
    tone: string,
    grade: string | null,
    said: RegExp,
  ])[] = [
    [null, "ok", "amber", "kept", /^Nothing differs from main$/],
    [matrix(), "ok", "amber", "kept", /^Nothing broke, but no check fails without this work$/],
    [
      shown,
      "ok",
      "good",
      "shown",
      /^The check passes; without this work it fails; it notices 1 of 1 wrong versions? of it$/,
    ],
    [matrix({ clean: null, no_clean: "no room" }), "failure", "amber", "unshown", /^Not judged: no room$/],
    [matrix({ clean: cell([failed()]) }), "rejected", "bad", null, /^The check fails: tests: 3 is not 4$/],
    [
      matrix({ steadiness: [unsteady("since")] }),
      "rejected",
      "bad",
      null,
      /^since this work, tests fails 1 of 2 times/,
    ],
  ];
  for (const [facts, exit, tone, grade, said] of rows) {
    const { said: found } = judge(facts);
    assert.deepEqual(found.slice(0, 3), [exit, tone, grade]);
    assert.match(found[3] ?? "", said);
  }
});

test("what could not be compared is not said to be equal", () => {
  const { said, uncompared } = judge(null, { paths: [], uncompared: "secret.json (a filter)" });
  const headline = "Nothing else differs from main; not compared: secret.json (a filter)";
  assert.deepEqual([...said, uncompared], ["ok", "amber", "unshown", headline, "secret.json (a filter)"]);
});

test("an excused unsteady check fails nothing", () => {
  assert.equal(judge(matrix({ steadiness: [unsteady("before")] })).exitName, "ok");
});

test("with --require shown anything less has an exit of its own", () => {
  const wishes = { requireShown: true };
  assert.equal(judge(shown, {}, wishes).exitName, "ok");
  assert.equal(judge(matrix(), {}, wishes).exitName, "no_progress");
  assert.equal(judge(null, {}, wishes).exitName, "no_progress");
  assert.equal(judge(matrix({ clean: null }), {}, wishes).exitName, "failure");
});

test("an open change of a test asks a person, unless it is accepted or a check fails anyway", () => {
  const watched = [removed];
  const asked = judge(shown, { watched });
  assert.deepEqual([asked.exitName, asked.tone, asked.grade], ["needs_user_decision", "bad", "shown"]);
  assert.match(asked.headline, /^A person has to look at one change of tests or checks\. The check passes;/);
  assert.match(
    judge(shown, { watched: [removed, { ...removed, name: "b.test.js" }] }).headline,
    /look at 2 changes of/,
  );
  assert.deepEqual(asked.watched, [{ name: "a.test.js", kind: "test", change: "removed", detail: "", asks: true }]);
  const accepted = judge(shown, { watched }, { acceptTests: true });
  assert.deepEqual([accepted.exitName, accepted.tone, accepted.watched[0]?.asks], ["ok", "good", true]);
  const bad = judge(matrix({ clean: cell([failed()]) }), { watched });
  assert.deepEqual([bad.exitName, bad.headline], ["rejected", "The check fails: tests: 3 is not 4"]);
});

test("checks that fail for want of what no copy has are no failure of the change", () => {
  const differs = { kind: "differs", reason: "tests failed in a clean copy before this work too", home: null } as const;
  const facts = matrix({ clean: cell([failed(), check({ name: "lint" })]), calibration: differs });
  const lacking = judge(facts, { lack: "the copy lacks local.json" });
  assert.deepEqual(lacking.said.slice(0, 3), ["ok", "amber", "unshown"]);
  assert.match(lacking.headline, /^2 checks pass; .* was not shown: the copy lacks local\.json$/);
  const failing = judge(facts);
  assert.match(
    failing.headline,
    /^1 of 2 checks fails: tests: 3 is not 4\. tests failed in a clean copy before this work too$/,
  );
});

test("what failed before the work too is named beside what the work broke", () => {
  const mixed = failed(["adds", "old"], {
    failure: { by: "assertion", tests: ["adds", "old"], said: "x", broken_before: ["old"] },
  });
  const differs = { kind: "differs", reason: "alike", home: null } as const;
  const { headline, failing: rows } = judge(matrix({ clean: cell([mixed]), calibration: differs }));
  assert.equal(headline, "The check fails: tests: broken before: old; regressed: adds");
  assert.deepEqual([rows[0]?.failed_before, rows[0]?.compared], [false, "broken before: old; regressed: adds"]);
  const old = failed(["old"], { failure: { by: "assertion", tests: ["old"], said: "x", broken_before: ["old"] } });
  const alike = judge(matrix({ clean: cell([old]), calibration: differs }));
  assert.equal(alike.failing[0]?.failed_before, true);
  assert.match(alike.headline, /: x\. alike$/);
  assert.match(
    judge(matrix({ clean: cell([failed([], {})]), calibration: { ...differs, reason: null } })).headline,
    /It was not told from the base$/,
  );
});

test("at most three failing checks are named in the sentence", () => {
  const many = ["a", "b", "c", "d"].map((name) => failed([], { name, unmet: `${name} is wrong` }));
  assert.equal(
    judge(matrix({ clean: cell(many) })).headline,
    "4 of 4 checks fail: a: a is wrong; b: b is wrong; c: c is wrong; and more",
  );
  const silent = failing({ failure: { by: "other", tests: [], said: null } });
  assert.equal(judge(matrix({ clean: cell([silent]) })).headline, "The check fails: tests");
});

test("if wrong versions could not be run, the work is not shown, unless nobody asked for them", () => {
  const unjudged = (why: string) => judge({ ...shown, wrong: null, wrong_checks: null, no_wrong: why });
  assert.equal(unjudged("`proof.wrong` is off").said[2], "shown");
  const late = unjudged("the time is over");
  assert.deepEqual(late.said.slice(0, 3), ["ok", "amber", "unshown"]);
  assert.match(late.headline, /was not shown: wrong versions of it were not judged: the time is over$/);
  assert.equal(late.wrong, null);
});

test("each check has a row with its end in each run, and none for a run that it had no part in", () => {
  const facts = matrix({ old_checks: cell([check()], "clean"), without: null });
  assert.deepEqual(judge(facts).checks, [
    {
      name: "tests",
      command: ["npm", "test"],
      before: { status: "pass", log: check().log },
      clean: { status: "pass", log: check().log },
      old_checks: { status: "pass", log: null },
      without: null,
    },
  ]);
  assert.equal(judge(null, { before: [] }).checks.length, 0);
});

test("wrong versions that nothing noticed are listed, of the work and of what tests expect", () => {
  const missed = { ...tried, versions: [...tried.versions, { ...version, outcome: "unnoticed" as const }] };
  const { unnoticed, wrong } = judge(matrix({ without: cell([failed()]), wrong: missed, wrong_checks: missed }));
  assert.deepEqual(unnoticed, Array(2).fill({ path: "a.js", line: 2, was: "1", made: "2" }));
  assert.deepEqual([wrong?.tried, wrong?.noticed], [2, 1]);
});

test("a check that fails with the tests of the base is named with its log", () => {
  const facts = matrix({ old_checks: cell([failed()]) });
  assert.deepEqual(judge(facts).old_failing, [{ check: "tests", said: "adds", log: failed().log }]);
});
