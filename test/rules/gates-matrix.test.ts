import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckFailure } from "../../lib/rules/check-run.ts";
import { decide } from "../../lib/rules/decide.ts";
import type { Facts, Policy } from "../../lib/rules/facts.ts";
import type { MatrixFacts } from "../../lib/rules/matrix.ts";
import type { WatchedChange } from "../../lib/rules/watched.ts";
import { before, check, checkRun, codes, facts, failing, policy, proposal } from "./arrange.ts";
import { cell, heldOut, matrix } from "./matrix-facts.ts";

const auto: Partial<Policy> = { proof: { without: "auto", clean: "auto", wrong: "auto" }, tests_changed: "block" };

/** A pass that proposes verify → review, whose checks passed in the repo. */
function review(judged: MatrixFacts | null, rules: Partial<Policy> = {}, more: Partial<Facts> = {}) {
  const seen = facts({ checks: checkRun(), task_files_changed: ["STATE.md"], matrix: judged, ...more });
  return decide(before("verify"), proposal("review"), seen, policy({ ...auto, ...rules }));
}

function told(decision: ReturnType<typeof review>) {
  return [decision.verdict, decision.to, ...codes(decision)].join(" ");
}

const weakened: WatchedChange = {
  name: "test/sum.test.js",
  kind: "test",
  change: "changed",
  detail: "other bytes",
  digest: "d1",
  side: "checks",
  answer: null,
};

test("a matrix in which every cell passes lets the task go to review, and its grade is recorded", () => {
  const decision = review(matrix());
  assert.equal(told(decision), "accepted review");
  assert.equal(decision.proof?.grade, "kept");
});

test("a task that is done gives as its reason what the proof shows", () => {
  const seen = facts({ checks: checkRun(), matrix: matrix({ without: cell([failing()]) }) });
  assert.equal(
    decide(before("review"), proposal("done"), seen, policy(auto)).reason,
    "Done. The check passes; without this work it fails",
  );
  assert.equal(review(matrix()).reason, "verify → review");
});

test("without a matrix no proposal goes to review", () => {
  assert.equal(told(review(null)), "rejected verify proof_judged");
});

test("a matrix about other code than the checks ran on proves nothing", () => {
  assert.equal(told(review(matrix({ fingerprint: "f0" }))), "rejected verify proof_on_present_code");
});

test("a fresh copy that does not pass goes to repair, with the log and what the copy could not hold", () => {
  const left_out = ["round.js (not committed)", "a (b).md (not committed)", "data"];
  const decision = review(matrix({ clean: cell([failing()]), old_checks: null, without: null, left_out }));
  assert.equal(told(decision), "redirected repair clean_copy");
  assert.equal(
    decision.reason,
    "a fresh copy of what git lists, which lacks round.js, a (b).md (not committed), data (a file that git ignores, a link that leaves the repo, a nested repository, a special file, or something in a folder of dependencies that no lockfile brought), does not pass: tests (exit 1; see artifacts/passes/0001/validators/tests.log)",
  );
  assert.deepEqual(
    decision.tickets.map(({ id, source }) => ({ id, source })),
    [{ id: "proof:tests", source: "proof" }],
  );
  assert.match(
    decision.tickets[0]?.text ?? "",
    /\. The copy lacks round\.js, a \(b\)\.md \(not committed\), data \(a file /,
  );
});

test("a repo that could not be judged in a copy at pass 1 goes on, unless the contract requires a clean copy", () => {
  const differs = matrix({
    clean: cell([failing()]),
    old_checks: null,
    without: null,
    calibration: { kind: "differs", reason: "tests: passes in the repo, fails in a clean copy", home: null },
  });
  assert.equal(told(review(differs)), "accepted review");
  assert.equal(
    told(review(differs, { proof: { without: "auto", clean: "require", wrong: "auto" } })),
    "redirected repair clean_copy",
  );
});

test("a contract that requires a clean copy gets a ticket if none could be made", () => {
  const none = matrix({ clean: null, old_checks: null, without: null, no_clean: "the repo has more than 1024 MiB" });
  assert.equal(told(review(none)), "accepted review");
  const decision = review(none, { proof: { without: "auto", clean: "require", wrong: "auto" } });
  assert.equal(told(decision), "redirected repair clean_copy");
  assert.deepEqual(
    decision.tickets.map(({ id }) => id),
    ["proof:clean-copy"],
  );
});

test("a changed test asks no question if the tests of pass 1 pass on the present work", () => {
  const judged = matrix({ changed_checks: ["test/sum.test.js"], old_checks: cell() });
  assert.equal(told(review(judged, {}, { watched: [weakened] })), "accepted review");
});

test("a changed test asks a person if the tests of pass 1 fail, and the question names them and their log", () => {
  const asked = (failure?: CheckFailure) => {
    const results = [failing(failure === undefined ? {} : { failure })];
    const judged = matrix({ changed_checks: ["test/sum.test.js"], old_checks: cell(results) });
    const decision = review(judged, {}, { watched: [weakened] });
    assert.equal(told(decision), "rejected needs_user_decision watched_open");
    return /with the tests and checks of pass 1 this work does not pass: (.*) see /.exec(decision.reason)?.[1];
  };
  assert.equal(asked(), "tests (exit 1;");
  assert.equal(asked({ by: "other", tests: [], said: "no such row" }), "tests (exit 1: no such row;");
  assert.equal(asked({ by: "assertion", tests: ["a", "b"], said: "1 failed" }), "tests (exit 1: a, b;");
  const many = { by: "assertion", tests: ["a", "b", "c", "d", "e"], said: null } as const;
  assert.equal(asked(many), "tests (exit 1: a, b, c and 2 more;");
});

test("a new file on the checks' side asks too if the tests of pass 1 do not pass without it", () => {
  const added: WatchedChange = { ...weakened, name: "conftest.py", change: "added" };
  const fails = matrix({ changed_checks: ["conftest.py"], old_checks: cell([failing()]) });
  assert.equal(told(review(fails, {}, { watched: [added] })), "rejected needs_user_decision watched_open");
  const holds = matrix({ changed_checks: ["conftest.py"], old_checks: cell() });
  assert.equal(told(review(holds, {}, { watched: [added] })), "accepted review");
});

test("an answer that a person gave to exactly these changes lets them pass", () => {
  const fails = matrix({ changed_checks: ["test/sum.test.js"], old_checks: cell([failing()]) });
  assert.equal(told(review(fails, {}, { watched: [{ ...weakened, answer: "accepted" }] })), "accepted review");
});

test("without a guard a changed test asks by its digest", () => {
  const judged = matrix({ changed_checks: ["test/sum.test.js"], old_checks: null, no_old_checks: "not kept" });
  assert.equal(told(review(judged, {}, { watched: [weakened] })), "rejected needs_user_decision watched_open");
});

test("another program as a check, and a file that no copy holds, ask whatever the guard says", () => {
  const judged = matrix({ changed_checks: ["test/sum.test.js"], old_checks: cell() });
  const program: WatchedChange = { ...weakened, kind: "executable", name: "node_modules/.bin/vitest", side: "outside" };
  const outside: WatchedChange = { ...weakened, kind: "setting", name: "/home/me/.npmrc", side: "outside" };
  assert.equal(told(review(judged, {}, { watched: [program] })), "rejected needs_user_decision watched_open");
  assert.equal(told(review(judged, {}, { watched: [outside] })), "rejected needs_user_decision watched_open");
});

test("a part of a file that the guard had as at pass 1 is judged with its file", () => {
  const script: WatchedChange = { ...weakened, kind: "script", name: "package.json#scripts.test" };
  const judged = matrix({ changed_checks: ["package.json"], old_checks: cell() });
  assert.equal(told(review(judged, {}, { watched: [script] })), "accepted review");
});

test("a change that a person refused stays refused until it is put back or the tests of pass 1 pass", () => {
  const refused: WatchedChange = { ...weakened, answer: "refused" };
  const fails = matrix({ changed_checks: ["test/sum.test.js"], old_checks: cell([failing()]) });
  assert.equal(told(review(fails, {}, { watched: [refused] })), "redirected repair watched_refused");
});

test("a held-out check that fails goes to repair, and its ticket tells nothing of what it looks for", () => {
  const rules = { required_held_out: ["hidden"] };
  const bad = heldOut({ status: "fail", exit_code: 1, excerpt: "expected 7" });
  const decision = review(matrix({ clean: cell([check(), bad]), old_checks: null, without: null }), rules);
  assert.equal(told(decision), "redirected repair held_out_hidden");
  assert.deepEqual(
    decision.tickets.map(({ id }) => id),
    ["proof:held-out:hidden"],
  );
  assert.equal(JSON.stringify(decision).includes("expected 7"), false);
  assert.equal(told(review(matrix({ clean: cell([check(), heldOut()]) }), rules)), "accepted review");
});

test("a held-out check that could not run has not passed", () => {
  const none = matrix({ clean: null, old_checks: null, without: null, no_clean: "`proof.clean` is off" });
  const decision = review(none, {
    required_held_out: ["hidden"],
    proof: { without: "auto", clean: "off", wrong: "auto" },
  });
  assert.equal(told(decision), "redirected repair held_out_hidden");
});

test("a contract that requires a counter sends anything but a shown proof to repair, with one ticket", () => {
  const rules: Partial<Policy> = { proof: { without: "require", clean: "auto", wrong: "auto" } };
  const kept = review(matrix(), rules);
  assert.equal(told(kept), "redirected repair without_check");
  assert.deepEqual(
    kept.tickets.map(({ id, source }) => `${source} ${id}`),
    ["proof proof:no-check-fails"],
  );
  assert.equal(told(review(matrix({ without: cell([failing()]) }), rules)), "accepted review");
  assert.equal(
    told(review(matrix({ without: null, no_without: "too large" }), rules)),
    "redirected repair without_check",
  );
});

test("only the checks that failed in the repo are named: nothing was judged in a copy", () => {
  const seen = facts({ checks: checkRun([failing()]), task_files_changed: ["STATE.md"] });
  const decision = decide(before("verify"), proposal("review"), seen, policy(auto));
  assert.equal(told(decision), "redirected repair validator_tests");
});

test("with `proof.wrong: require` each wrong version must be noticed, and the gate names those that are not", () => {
  const required: Partial<Policy> = { proof: { without: "auto", clean: "auto", wrong: "require" } };
  const version = (line: number, outcome: "noticed" | "unnoticed") =>
    ({ path: "src/sum.js", line, was: "2", made: "3", change: "value", outcome, log: null }) as const;
  const made = (...outcomes: readonly ("noticed" | "unnoticed")[]) => {
    const versions = outcomes.map((outcome, index) => version(index + 1, outcome));
    return matrix({ without: cell([failing()]), wrong: { checks: ["tests"], versions, left: 0 } });
  };
  const gate = (judged: MatrixFacts) => {
    const { gates, verdict } = review(judged, required);
    return [verdict, gates.find(({ gate: name }) => name === "A check notices each wrong version of the work")?.detail];
  };
  assert.deepEqual(gate(made("noticed", "noticed")), ["accepted", "2 of 2 noticed"]);
  assert.deepEqual(gate(made("noticed", "unnoticed")), ["redirected", "no check notices src/sum.js:2: 2 made 3"]);
  assert.deepEqual(gate(matrix()), [
    "redirected",
    "every check also passes without this work, so none shows that the work is there",
  ]);
});
