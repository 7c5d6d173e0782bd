import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckResult } from "../../lib/rules/check-run.ts";
import { headlineOf } from "../../lib/rules/headline.ts";
import { cellHolds, compareWithPassOne, gradeProof, type WrongRuns, wrongIsOff } from "../../lib/rules/matrix.ts";
import { check, checkRun, failing } from "./arrange.ts";
import { cell, heldOut, matrix } from "./matrix-facts.ts";

const passing = checkRun([check(), check({ name: "lint", required: false })]);

test("a check that fails without the work and passes with it shows the work", () => {
  const proof = gradeProof(passing, matrix({ without: cell([failing()]) }));
  assert.deepEqual(proof, {
    grade: "shown",
    passed: 1,
    failing: ["tests"],
    only_own: false,
    wrong: null,
    reason: null,
    looked: [],
  });
  assert.deepEqual(headlineOf(proof), { tone: "good", text: "Done. The check passes; without this work it fails" });
});

test("checks that pass without the work too only show that nothing broke", () => {
  const proof = gradeProof(passing, matrix());
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

test("a work on which the old checks fail is not said to have broken nothing", () => {
  const proof = gradeProof(passing, matrix({ old_checks: cell([failing()]) }));
  assert.deepEqual(
    [proof.grade, headlineOf(proof).text],
    ["kept", "Done. No check fails without this work, and old tests or checks fail with it"],
  );
});

test("checks that counted their tests, and ran none, are said to have run none", () => {
  const tests = (ran: number, name = "tests") => check({ name, tests: { ran, failed: 0, skipped: 4 } });
  const of = (...results: CheckResult[]) =>
    headlineOf(gradeProof(checkRun(results), matrix({ clean: cell(results), without: cell(results) }))).text;
  assert.equal(of(tests(0), check({ name: "lint" })), "Done. 2 checks pass, but no test ran");
  assert.equal(of(tests(0), tests(1, "more")), "Done. Nothing broke, but no check fails without this work");
});

test("a make that had nothing to do is said to have run no test", () => {
  const of = (excerpt: string, command = ["make", "test"]) => {
    const checks = [check({ excerpt, command })];
    return headlineOf(gradeProof(checkRun(checks), matrix({ clean: cell(checks), without: cell(checks) }))).text;
  };
  const none = "Done. The check passes, but no test ran";
  assert.equal(of("make: 'test' is up to date."), none);
  assert.equal(of("> make test\n\nmake: Nothing to be done for 'test'.", ["npm", "test"]), none);
  const inFolder = "make: Entering directory '/a b'\nmake: 'test' is up to date.\nmake: Leaving directory '/a b'";
  assert.equal(of(inFolder, ["make", "-C", "a b", "test"]), none);
  const kept = "Done. Nothing broke, but no check fails without this work";
  assert.equal(of("ok\nmake: Nothing to be done for 'test'."), kept);
  // The recipe of another target, or around an inner make, may have run and printed nothing.
  assert.equal(of("make: 'build' is up to date.", ["make", "build", "test"]), kept);
  assert.equal(of("> make build && node test.js\n\nmake: 'build' is up to date.", ["npm", "test"]), kept);
  assert.equal(of("make[1]: Nothing to be done for 'test'."), kept);
  assert.equal(of("> app@1.0.0 test\n> node test.js\n"), kept);
  assert.equal(of(""), kept);
});

test("an optional check that fails without the work shows nothing", () => {
  const without = cell([check(), failing({ name: "lint", required: false })]);
  assert.equal(gradeProof(passing, matrix({ without })).grade, "kept");
});

test("the headline counts the checks that pass and those that fail without the work", () => {
  const three = checkRun([check(), check({ name: "lint" }), check({ name: "types" })]);
  const without = cell([failing(), failing({ name: "lint" }), check({ name: "types" })]);
  const proof = gradeProof(three, matrix({ without }));
  assert.equal(headlineOf(proof).text, "Done. 3 checks pass; without this work, 2 of them fail");
  const one = gradeProof(three, matrix({ without: cell([failing(), check({ name: "lint" })]) }));
  assert.equal(headlineOf(one).text, "Done. 3 checks pass; without this work, 1 of them fails");
});

test("the headline of a hollow proof says how many wrong versions go unnoticed", () => {
  const proof = gradeProof(passing, matrix({ without: cell([failing()]) }));
  const say = (tried: number, noticed: number, standing = 0) =>
    headlineOf({ ...proof, grade: "hollow", wrong: { tried, noticed, can_fail: true, standing } }).text;
  const start = "Done, but the checks only need the new code to be there: ";
  assert.equal(say(4, 0), `${start}none of 4 wrong versions of it is noticed`);
  assert.equal(say(4, 3), `${start}1 of 4 wrong versions of it goes unnoticed`);
  assert.equal(say(4, 2), `${start}2 of 4 wrong versions of it go unnoticed`);
  assert.equal(say(4, 2, 2), `${start}only tests that pass without it notice 2 of 4 wrong versions of it`);
  assert.equal(say(8, 5, 1), `${start}3 of 8 wrong versions of it go unnoticed`);
  assert.equal(say(4, 4, 1), `${start}tests that fail without it do not notice 1 of 4 wrong versions of it`);
});

test("an unjudged work is unshown, with the reason", () => {
  const two = checkRun([check(), check({ name: "lint" })]);
  const reasons = [
    gradeProof(two, null),
    gradeProof(two, matrix({ clean: null, no_clean: "`proof.clean` is off" })),
    gradeProof(two, matrix({ without: null, no_without: "the code of pass 1 is not kept on this machine" })),
    gradeProof(
      two,
      matrix({
        clean: cell([failing()]),
        calibration: { kind: "differs", reason: "tests: passes in the repo", home: null },
      }),
    ),
    gradeProof(two, matrix({ without: cell([failing()]), no_wrong: "no space is left" })),
  ].map(({ grade, reason }) => `${grade}: ${reason}`);
  assert.deepEqual(reasons, [
    "unshown: the checks were not run without the work",
    "unshown: `proof.clean` is off",
    "unshown: the code of pass 1 is not kept on this machine",
    "unshown: the checks do not pass in a clean copy (tests: passes in the repo)",
    "unshown: wrong versions of it were not judged: no space is left",
  ]);
  const off = gradeProof(two, matrix({ without: cell([failing()]), no_wrong: wrongIsOff }));
  assert.equal(off.grade, "shown");
  const proof = gradeProof(two, matrix({ clean: null, no_clean: "`proof.clean` is off" }));
  assert.deepEqual(headlineOf(proof), {
    tone: "amber",
    text: "Done. 2 checks pass; whether they notice this work was not shown: `proof.clean` is off",
  });
});

test("a required check that did not pass in the repo is never graded higher", () => {
  const proof = gradeProof(checkRun([failing()]), matrix({ without: cell([failing()]) }));
  assert.deepEqual([proof.grade, proof.passed], ["unshown", 0]);
});

test("a check that passes without the work with fewer tests shows nothing, unless something fails", () => {
  const tests = (ran: number, name = "tests") => check({ name, tests: { ran, failed: 0, skipped: 0 } });
  const at = (without: CheckResult[]) =>
    gradeProof(checkRun([tests(3)]), matrix({ clean: cell([tests(3)]), without: cell(without) }));
  const { grade, reason } = at([tests(1)]);
  assert.deepEqual([grade, reason], ["unshown", "tests ran 1 test without the work, and 3 with it"]);
  assert.deepEqual([at([tests(3)]).grade, at([tests(1), failing({ name: "b" })]).grade], ["kept", "shown"]);
});

test("held-out checks of the clean copy count as checks that pass", () => {
  const proof = gradeProof(passing, matrix({ clean: cell([check(), heldOut()]), without: cell([failing()]) }));
  assert.equal(proof.passed, 2);
});

test("a check that fails now as it failed before the work tells nothing of the work; by what it failed, not how", () => {
  const fails = (by: "assertion" | "load" | "other", ...tests: string[]) =>
    failing({ failure: { by, tests, said: null } });
  const alike: readonly (readonly [now: CheckResult, before: CheckResult])[] = [
    [fails("load", "a"), fails("load", "a")],
    [fails("load", "a", "b"), fails("load", "a")],
    [fails("other"), fails("other", "a")],
    [fails("load", "a"), fails("assertion", "a", "b")],
    [failing(), failing()],
    [failing({ status: "timeout" }), failing()],
    [failing(), failing({ name: "other" })],
    [failing(), check({ kind: "scenario" })],
    [failing({ required: false }), check()],
  ];
  for (const [now, before] of alike)
    assert.equal(compareWithPassOne([now], [before]), "alike", JSON.stringify([now.failure, before.failure]));
  const differs: readonly (readonly [now: CheckResult, before: CheckResult])[] = [
    [failing(), check()],
    [fails("load", "a"), fails("assertion", "a")],
    [fails("load", "a"), fails("load", "b")],
    [failing({ status: "timeout" }), check()],
  ];
  for (const [now, before] of differs)
    assert.equal(compareWithPassOne([now], [before]), "differs", JSON.stringify([now.failure, before.failure]));
  assert.equal(
    compareWithPassOne([fails("load", "a"), failing({ name: "b" })], [fails("load", "a"), check({ name: "b" })]),
    "differs",
  );
});

test("a cell holds if every required check of it passed", () => {
  assert.equal(cellHolds(cell([check(), failing({ required: false })])), true);
  assert.equal(cellHolds(cell([check(), check({ status: "timeout" })])), false);
  assert.equal(cellHolds(cell([check({ status: "not_started" })])), false);
});

test("tests of the work that cannot fail are hollow, and those of pass 1 are no part of the grade", () => {
  const tried = { path: "test/a.test.mjs", line: 3, was: "3", made: "4", change: "value", log: null } as const;
  const grade = (more: object) =>
    gradeProof(
      passing,
      matrix({
        without: cell([failing()]),
        wrong_checks: { checks: ["tests"], versions: [{ ...tried, outcome: "unnoticed", ...more }], left: 0 },
      }),
    ).grade;
  assert.deepEqual([grade({}), grade({ stood: true })], ["hollow", "shown"]);
});

test("that an expectation of before is noticed says nothing of one that came with the work", () => {
  const tried = { path: "test/a.test.mjs", line: 3, was: "3", made: "4", change: "value", log: null } as const;
  const grade = (...versions: WrongRuns["versions"]) =>
    gradeProof(
      passing,
      matrix({ without: cell([failing()]), wrong_checks: { checks: ["tests"], versions: [...versions], left: 0 } }),
    ).grade;
  const unnoticed = { ...tried, outcome: "unnoticed" } as const;
  const noticed = { ...tried, outcome: "noticed", noticed_by: "assertion" } as const;
  assert.equal(grade(unnoticed, noticed), "shown");
  assert.equal(grade(unnoticed, { ...noticed, unchanged: true }), "hollow");
  assert.equal(grade(unnoticed, { ...noticed, stood: true }), "hollow");
  assert.equal(grade({ ...unnoticed, unchanged: true }, { ...noticed, unchanged: true }), "shown");
});

test("wrong lines that only tests notice which pass without the work show nothing of it", () => {
  const line = (number: number, noticed_by: "standing" | "assertion" | null) => ({
    ...{ path: "src/a.mjs", line: number, was: "1", made: "2", change: "value" as const, log: null },
    ...(noticed_by === null ? { outcome: "unnoticed" as const } : { outcome: "noticed" as const, noticed_by }),
  });
  const expectation = { ...line(1, "assertion"), path: "test/a.test.mjs" };
  const gone = "TypeError: lib.setRate is not a function";
  const grade = (versions: WrongRuns["versions"], expectations: WrongRuns["versions"] = [], said = gone) =>
    gradeProof(
      passing,
      matrix({
        without: cell([failing({ failure: { by: "crash", tests: ["new"], said } })]),
        wrong: { checks: ["tests"], versions, left: 0 },
        wrong_checks: { checks: ["tests"], versions: expectations, left: 0 },
      }),
    );
  const hollow = grade([line(1, "standing"), line(2, null)]);
  assert.deepEqual([hollow.grade, hollow.wrong], ["hollow", { tried: 2, noticed: 1, can_fail: true, standing: 1 }]);
  assert.equal(grade([line(1, "standing"), line(2, "assertion")]).grade, "shown");
  const lines = [line(1, "standing"), line(2, null)];
  assert.equal(grade(lines, [expectation]).grade, "shown");
  assert.equal(grade(lines, [{ ...expectation, unchanged: true }]).grade, "hollow");
  // A fix of a crash: any other value of the line is one that only tests of before look at.
  assert.equal(grade([line(1, "standing")]).grade, "shown");
  const emptied = { ...line(1, "standing"), line: null, made: "nothing", change: "nothing" as const };
  assert.equal(grade([emptied, line(2, "standing")]).grade, "hollow");
  const mended = "TypeError: Cannot read properties of null (reading 'length')";
  assert.equal(grade([emptied, line(2, "standing")], [], mended).grade, "shown");
});

test("emptied work that only tests of before notice is hollow where tests could not be built without it", () => {
  const noticed = {
    ...{ path: "id.go", line: null, was: "", made: "nothing", log: null },
    outcome: "noticed" as const,
  };
  const grade = (noticed_by: "standing" | "other", expectations: WrongRuns["versions"] = []) =>
    gradeProof(
      passing,
      matrix({
        without: cell([failing({ failure: { by: "load", tests: [], said: "undefined: NewID" } })]),
        wrong: { checks: ["tests"], versions: [{ ...noticed, change: "nothing", noticed_by }], left: 0 },
        wrong_checks: { checks: ["tests"], versions: expectations, left: 0 },
      }),
    ).grade;
  const expectation = {
    ...noticed,
    path: "id_test.go",
    line: 3,
    change: "value" as const,
    noticed_by: "other" as const,
  };
  assert.equal(grade("standing"), "hollow");
  assert.equal(grade("standing", [{ ...expectation, unchanged: true }]), "hollow");
  assert.equal(grade("standing", [expectation]), "shown");
  assert.equal(grade("other"), "shown");
});

test("work that a test of it was held against by an assertion is more than code that is there", () => {
  const line = (number: number, noticed_by: "crash" | null) => ({
    ...{ path: "src/a.mjs", line: number, was: "1", made: "2", change: "value" as const, log: null },
    ...(noticed_by === null ? { outcome: "unnoticed" as const } : { outcome: "noticed" as const, noticed_by }),
  });
  const grade = (by: "assertion" | "crash") =>
    gradeProof(
      passing,
      matrix({
        without: cell([failing({ failure: { by, tests: ["new"], said: null } })]),
        wrong: { checks: ["tests"], versions: [line(1, "crash"), line(2, null)], left: 0 },
      }),
    ).grade;
  assert.deepEqual([grade("crash"), grade("assertion")], ["hollow", "shown"]);
});

test("a wrong line that is noticed by a crash alone shows less than one that an assertion notices", () => {
  const line = (number: number, outcome: "noticed" | "unnoticed", noticed_by?: "crash" | "assertion" | "other") => ({
    ...{ path: "src/a.mjs", line: number, was: "1", made: "2", change: "value" as const, log: null, outcome },
    ...(noticed_by === undefined ? {} : { noticed_by }),
  });
  const expected = { ...line(9, "noticed", "assertion"), path: "tests/test_a.py" };
  const runs = (versions: WrongRuns["versions"]) => ({ checks: ["tests"], versions: [...versions], left: 0 });
  const grade = (...versions: WrongRuns["versions"]) =>
    gradeProof(passing, matrix({ without: cell([failing()]), wrong: runs(versions), wrong_checks: runs([expected]) }))
      .grade;
  assert.equal(grade(line(1, "noticed", "crash"), line(2, "unnoticed")), "hollow");
  // An assertion that the result is not None can fail, too, and compares none of its values.
  assert.equal(grade(line(1, "noticed", "crash"), line(2, "noticed", "crash"), line(3, "unnoticed")), "hollow");
  assert.equal(grade(line(1, "noticed", "crash")), "shown");
  assert.equal(grade(line(1, "noticed", "crash"), line(2, "unnoticed"), line(3, "noticed", "assertion")), "shown");
  assert.equal(grade(line(1, "noticed", "other"), line(2, "unnoticed")), "shown");
  const without = (one: ReturnType<typeof line>) => ({ ...one, made: "nothing", change: "dropped" as const });
  const values = [1, 2, 3].map((number) => line(number, "unnoticed"));
  const gone = without(line(4, "noticed", "assertion"));
  assert.deepEqual([grade(...values, gone), grade(...values.slice(1), gone)], ["hollow", "shown"]);
  const smoke = [without(line(1, "noticed", "crash")), without(line(2, "unnoticed"))];
  assert.equal(grade(...smoke), "hollow");
  assert.equal(grade(without(line(1, "noticed", "crash"))), "shown");
  assert.equal(grade(...smoke, without(line(3, "noticed", "assertion"))), "shown");
  const emptied = { ...line(1, "noticed", "assertion"), line: null, made: "nothing", change: "nothing" as const };
  assert.equal(grade(emptied, ...smoke), "shown");
  const passed = (...[outcome, by]: ["unnoticed"] | ["noticed", "assertion" | "crash"]) => ({
    ...line(2, outcome, by),
    change: "passed" as const,
  });
  const value = line(1, "unnoticed");
  assert.equal(grade(emptied, value, passed("noticed", "assertion")), "shown");
  assert.equal(grade(emptied, value, passed("noticed", "crash")), "hollow");
  assert.equal(grade(emptied, value, passed("unnoticed")), "hollow");
  assert.equal(grade(emptied, value, { ...passed("noticed", "assertion"), change: "nothing" }), "hollow");
});

test("a crash in a copy and another failure there are the same: neither says what the copy lacks", () => {
  const by = (cause: "crash" | "other" | "load") => [failing({ failure: { by: cause, tests: [], said: null } })];
  assert.equal(compareWithPassOne(by("crash"), by("other")), "alike");
  assert.equal(compareWithPassOne(by("crash"), by("load")), "differs");
});

test("wrong versions that cannot be built say neither that the checks notice them nor that they do not", () => {
  const by = (kind: "load" | "assertion") => failing({ failure: { by: kind, tests: [], said: "" } });
  const line = (at: number, outcome: "unnoticed" | "unloadable" | "noticed"): WrongRuns["versions"][number] => ({
    ...{ path: "src/a.rs", line: at, was: "1", made: "2", change: "value", outcome, log: null },
    ...(outcome === "noticed" && { noticed_by: "assertion" }),
  });
  const of = (versions: WrongRuns["versions"], kind: "load" | "assertion" = "load", only_own_fail = true) => {
    const wrong = { checks: ["tests"], versions, left: 0 };
    const { grade, reason } = gradeProof(passing, matrix({ without: cell([by(kind)]), wrong, only_own_fail }));
    return reason ?? grade;
  };
  const none = [line(1, "unloadable"), line(2, "unloadable")];
  assert.equal(of(none), "none of 2 wrong versions of it can be built or loaded");
  assert.equal(of(none.slice(1)), "none of 1 wrong version of it can be built or loaded");
  assert.deepEqual([of(none, "assertion"), of(none, "load", false)], ["shown", "shown"]);
  assert.equal(
    of([line(1, "unnoticed"), line(2, "unloadable")]),
    "1 of 2 wrong versions of it cannot be built or loaded, and no other wrong line is noticed",
  );
  assert.equal(of([line(1, "unnoticed"), line(2, "unnoticed"), line(3, "unloadable")]), "hollow");
  assert.equal(of([line(1, "unnoticed"), { ...line(2, "unloadable"), line: null }]), "hollow");
  assert.equal(of([line(1, "unnoticed"), { ...line(2, "unloadable"), change: "dropped" }]), "hollow");
  assert.equal(of([{ ...line(1, "unnoticed"), line: null }, line(2, "unnoticed"), line(3, "unloadable")]), "hollow");
  assert.equal(of([line(1, "noticed"), line(2, "unloadable")]), "shown");
});
