import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../lib/rules/decide.ts";
import type { Policy } from "../../lib/rules/facts.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { isFewerByNamed } from "../../lib/rules/test-counts.ts";
import { adviseWatched, couldHide, renderWatched, type WatchedChange, withAnswers } from "../../lib/rules/watched.ts";
import { watchedKinds } from "../../lib/rules/words.ts";
import { before, check, checkRun, facts, policy, proposal } from "./arrange.ts";
import { cell, matrix } from "./matrix-facts.ts";

const weakened: WatchedChange = {
  name: "test/sum.test.js",
  kind: "test",
  change: "changed",
  detail: "1 of 4 assertions is gone",
  digest: "d1",
  side: "checks",
  answer: null,
};
const swapped: WatchedChange = {
  name: "package.json#scripts.test",
  kind: "script",
  change: "changed",
  detail: "`vitest run` is `true` now",
  digest: "d2",
  side: "checks",
  answer: null,
};
const added: WatchedChange = {
  name: "test/new.test.js",
  kind: "test",
  change: "added",
  detail: "",
  digest: "d3",
  side: "checks",
  answer: null,
};

function judge(
  from: Phase,
  to: Phase,
  watched: readonly WatchedChange[] | undefined,
  { checks = checkRun(), ...rules }: Partial<Policy> & { checks?: ReturnType<typeof checkRun> } = {},
  state: Parameters<typeof proposal>[1] = {},
) {
  const seen = facts({
    fingerprint: { before: "f1", after: "f1", present: null },
    checks,
    task_files_changed: ["STATE.md"],
    ...(watched === undefined ? {} : { watched }),
  });
  return decide(before(from), proposal(to, state), seen, policy({ tests_changed: "block", ...rules }));
}

const codes = ({ reasons }: ReturnType<typeof judge>) => reasons.map(({ code }) => code);

for (const [from, to] of [
  ["verify", "review"],
  ["review", "done"],
] as const) {
  test(`${from} → ${to} with an open change asks a person and names each`, () => {
    const decision = judge(from, to, [weakened, swapped, added]);
    assert.deepEqual(
      [decision.verdict, decision.to, decision.exit_name, decision.escalation?.cause, codes(decision)],
      ["rejected", "needs_user_decision", "needs_user_decision", "watched", ["watched_open"]],
    );
    assert.equal(
      decision.reason,
      "tests or checks changed since pass 1: the test test/sum.test.js was changed: 1 of 4 assertions is gone; " +
        "the script package.json#scripts.test was changed: `vitest run` is `true` now",
    );
    assert.match(decision.escalation?.question ?? "", /May these changes stay\? Write `accept` as the Answer/);
    assert.deepEqual(decision.tickets, []);
  });

  test(`${from} → ${to} with a refused change goes to repair with a ticket of it`, () => {
    const decision = judge(from, to, [{ ...weakened, answer: "refused" }, swapped]);
    assert.deepEqual(
      [decision.verdict, decision.to, codes(decision)],
      ["redirected", "repair", ["watched_refused", "watched_open"]],
    );
    assert.deepEqual(
      decision.tickets.map(({ id, source, name }) => [id, source, name]),
      [["watched:test/sum.test.js", "watched", "test/sum.test.js"]],
    );
  });

  test(`${from} → ${to} goes through where every change is accepted or only shown`, () => {
    const decision = judge(from, to, [{ ...weakened, answer: "accepted" }, added]);
    assert.deepEqual([decision.verdict, decision.to], ["accepted", to]);
  });

  test(`${from} → ${to} has no such gate where changes are only shown, or nothing is watched`, () => {
    const gates = (decision: ReturnType<typeof judge>) =>
      decision.gates.filter(({ gate }) => /tests or checks/i.test(gate));
    const shown = judge(from, to, [weakened, swapped], { tests_changed: "show" });
    assert.deepEqual([shown.verdict, gates(shown)], ["accepted", []]);
    const unknown = judge(from, to, undefined);
    assert.deepEqual([unknown.verdict, gates(unknown)], ["accepted", []]);
  });
}

test("a failed check decides before anybody is asked", () => {
  const failed = checkRun([check({ status: "fail", exit_code: 1 })]);
  const decision = judge("verify", "review", [weakened], { checks: failed });
  assert.deepEqual([decision.verdict, decision.to, decision.escalation], ["redirected", "repair", null]);
});

test("no question is asked while another gate fails too", () => {
  const decision = judge("review", "done", [weakened], {}, { candidate_done: "no" });
  assert.deepEqual([decision.verdict, decision.to, decision.escalation], ["rejected", "review", null]);
  assert.ok(codes(decision).includes("watched_open"));
});

test("a refused change is reason enough to propose repair", () => {
  const decision = judge("verify", "repair", [{ ...swapped, answer: "refused" }]);
  assert.deepEqual([decision.verdict, decision.to], ["accepted", "repair"]);
  assert.deepEqual(
    decision.tickets.map(({ id }) => id),
    ["watched:package.json#scripts.test"],
  );
  assert.equal(judge("verify", "repair", [swapped]).verdict, "rejected");
});

test("many changes make one bounded line, in which no name hides the next", () => {
  const many = Array.from({ length: 400 }, (_, index) => ({ ...weakened, name: `${"x".repeat(300)}<!--${index}` }));
  const hiding = { ...weakened, name: "a<!--b\n" };
  const { reason, escalation } = judge("verify", "review", [hiding, ...many]);
  assert.ok(reason.length < 2_500 && (escalation?.question ?? "").length < 3_500);
  assert.match(reason, /; and 389 more, see EVIDENCE\.md$/);
  assert.ok(!reason.includes("<!--") && !reason.includes("\n"));
});

const changes = ["added", "changed", "removed", "installed"] as const;
const freeOf = (more: Partial<WatchedChange>) =>
  watchedKinds.flatMap((kind) =>
    changes.filter((change) => !couldHide({ ...weakened, kind, change, ...more })).map((change) => `${kind} ${change}`),
  );
const installed = watchedKinds.filter((kind) => kind !== "test").map((kind) => `${kind} installed`);

test("a changed check and a removed or replaced test can hide a failure", () => {
  const free = ["test added", "test installed", "file added", "script added", "mark added", ...installed];
  assert.deepEqual(freeOf({ side: "checks" }).sort(), free.sort());
  assert.deepEqual(freeOf({ side: "outside" }).sort(), free.sort());
});

test("work that no check fails without is told to name its tests, unless one of them changed", () => {
  assert.equal(adviseWatched([weakened]), "");
  for (const changes of [[], [swapped], [{ ...weakened, change: "removed" as const }]])
    assert.match(adviseWatched(changes), /^no new or changed file .* write its path as `watched: \[PATH\]`$/);
});

test("the brief accepts beforehand the tests that the task is meant to change, and nothing else", () => {
  const none = { accepted: [], refused: [] };
  const mayChange = (path: string) => path.startsWith("test/") || path.startsWith("package");
  const answered = (change: WatchedChange, answers: Parameters<typeof withAnswers>[1] = none) =>
    withAnswers([change], answers, mayChange).map(({ answer, answer_by }) => [answer, answer_by])[0];
  assert.deepEqual(answered(weakened), ["accepted", "brief"]);
  assert.deepEqual(answered({ ...weakened, kind: "file" }), ["accepted", "brief"]);
  assert.deepEqual(answered(swapped), [null, undefined]);
  assert.deepEqual(answered({ ...weakened, name: "src/a.js" }), [null, undefined]);
  assert.deepEqual(answered(weakened, { accepted: [], refused: [weakened] }), ["refused", undefined]);
  assert.deepEqual(answered(weakened, { accepted: [weakened], refused: [] }), ["accepted", undefined]);
});

test("a lower count is accepted beforehand if only tests that the brief names are gone", () => {
  const fewer: WatchedChange = {
    ...weakened,
    name: "validator tests",
    kind: "count",
    change: "fewer",
    side: "outside",
  };
  const none = { accepted: [], refused: [] };
  const answered = (may: boolean) => withAnswers([fewer], none, undefined, () => may)[0]?.answer;
  assert.deepEqual([answered(true), answered(false)], ["accepted", null]);
  const counted = (ran: number) => check({ tests: { ran, failed: 0, skipped: 0 } });
  const judged = (old: number, without: number) =>
    isFewerByNamed(matrix({ old_checks: cell([counted(old)]), without: cell([counted(without)]) }), counted(2));
  assert.deepEqual([judged(2, 2), judged(3, 2), judged(2, 3)], [true, false, false]);
  assert.equal(isFewerByNamed(null, counted(2)), false);
});

test("an answer holds for exactly the digest that it was given for", () => {
  const answers = { accepted: [{ name: "a", digest: "1" }], refused: [{ name: "a", digest: "2" }] };
  const answered = ["1", "2", "3"].map(
    (digest) => withAnswers([{ ...weakened, name: "a", digest }], answers)[0]?.answer,
  );
  assert.deepEqual(answered, ["accepted", "refused", null]);
});

test("each kind of change is named in a sentence of its own", () => {
  assert.equal(renderWatched(added), "the test test/new.test.js was added");
  assert.equal(renderWatched(weakened), "the test test/sum.test.js was changed: 1 of 4 assertions is gone");
  const mark = { kind: "mark", name: "src/a.js:3", change: "added", detail: "ends the process" } as const;
  assert.equal(renderWatched(mark), "src/a.js:3, ends the process");
  const unfailing = { ...weakened, change: "unfailing", detail: "line 3: 3 made 4" } as const;
  assert.equal(renderWatched(unfailing), "the test test/sum.test.js passes whatever it expects: line 3: 3 made 4");
  const count = { kind: "count", name: "tests", change: "fewer", detail: "2 of 5" } as const;
  assert.equal(renderWatched(count), "tests ran fewer tests: 2 of 5");
  assert.equal(renderWatched({ ...count, change: "changed" }), "tests passed regardless: 2 of 5");
});

test("a person who is asked because a clean copy judged nothing learns what the copy lacks", () => {
  const reason =
    "the copy lacks dist, which git ignores; write `proof: { prepare: [[npm, run, build]] }` into README.md";
  const judged = matrix({
    calibration: { kind: "differs", home: "private", reason },
    changed_checks: [weakened.name],
    clean: cell([check({ status: "fail" })]),
    old_checks: null,
    no_old_checks: "the checks do not pass in a clean copy of the current code",
  });
  const seen = facts({ checks: checkRun(), matrix: judged, watched: [weakened], task_files_changed: ["STATE.md"] });
  const decision = decide(before("verify"), proposal("review"), seen, policy({ tests_changed: "block" }));
  assert.ok(decision.escalation?.question?.includes(`current code (${reason})`), decision.reason);
  const passing = { ...seen, matrix: { ...judged, clean: cell() } };
  const { reason: said } = decide(before("verify"), proposal("review"), passing, policy({ tests_changed: "block" }));
  assert.equal(said?.includes(reason), false, "where the copy passed it lacks nothing");
});
