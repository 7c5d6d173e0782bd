import assert from "node:assert/strict";
import { test } from "node:test";
import { readHistory } from "../../lib/rules/add-event.ts";
import { decide } from "../../lib/rules/decide.ts";
import { headlineOf } from "../../lib/rules/headline.ts";
import { judgeEvent } from "../../lib/rules/judge-event.ts";
import { type ManualAnswer, standManual } from "../../lib/rules/manual.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { before, checkRun, facts, policy, proposal } from "./arrange.ts";

const page = { name: "page", look: "the header fits" };
const print = { name: "print", look: "one sheet" };
const yes: ManualAnswer = { ...page, fingerprint: "f1", holds: true, said: "yes", question: "Q1" };
const no: ManualAnswer = { ...yes, holds: false, said: "no: too wide", question: "Q2" };

function judge(
  from: Phase,
  to: Phase,
  answers: readonly ManualAnswer[],
  rules: Parameters<typeof policy>[0] = {},
  fields = {},
) {
  const seen = facts({
    checks: checkRun(),
    task_files_changed: ["STATE.md"],
    ...(answers.length === 0 ? {} : { manual_answers: answers }),
  });
  return decide(before(from), proposal(to, fields), seen, policy({ manual: [page], ...rules }));
}

const ends = ({ verdict, to, escalation, reasons }: ReturnType<typeof judge>) => [
  verdict,
  to,
  escalation?.cause ?? null,
  reasons.map(({ code }) => code),
];

test("an answer counts for its own code and its own words alone, and the newest one counts", () => {
  const holds = (answers: readonly ManualAnswer[], fingerprint = "f1") =>
    standManual([page], answers, fingerprint)[0]?.answer?.holds ?? null;
  assert.equal(holds([yes]), true);
  assert.equal(holds([yes], "f2"), null);
  assert.equal(holds([{ ...yes, look: "the footer fits" }]), null);
  assert.equal(holds([{ ...yes, name: "pages" }]), null);
  assert.equal(holds([yes, no]), false);
  assert.equal(holds([no, yes]), true);
});

test("done asks a person to look, by the name of each scenario, only if nobody has looked yet", () => {
  const both = judge("review", "done", [yes], { manual: [page, print] });
  assert.deepEqual(ends(both), ["rejected", "needs_user_decision", "manual", ["manual_open"]]);
  assert.match(both.escalation?.question ?? "", /print \(one sheet\)/);
  assert.doesNotMatch(both.escalation?.question ?? "", /the header fits/);
  assert.equal(both.exit_name, "needs_user_decision");
  assert.deepEqual(ends(judge("verify", "review", [])), ["accepted", "review", null, []]);
  assert.deepEqual(ends(judge("review", "done", [yes])), ["accepted", "done", null, []]);
  const wrong = judge("review", "done", [], {}, { candidate_done: "no" });
  assert.deepEqual(ends(wrong), ["rejected", "review", null, ["candidate_done", "manual_open"]]);
});

test("a no on this code goes to repair from verify and from review, with a ticket that quotes it", () => {
  for (const [from, to] of [
    ["verify", "review"],
    ["review", "done"],
  ] as const) {
    const decision = judge(from, to, [no]);
    assert.deepEqual(ends(decision), ["redirected", "repair", null, ["manual_refused"]]);
    assert.deepEqual(
      decision.tickets.map(({ id, source, name }) => [id, source, name]),
      [["manual:page", "scenario", "page"]],
    );
    assert.match(decision.tickets[0]?.text ?? "", /no: too wide/);
  }
});

test("tests that changed are asked about first", () => {
  const change = {
    name: "a.test.js",
    kind: "test",
    change: "removed",
    detail: "",
    digest: "gone",
    side: "checks",
    answer: null,
  } as const;
  const seen = facts({ checks: checkRun(), task_files_changed: ["STATE.md"], watched: [change] });
  const rules = policy({ manual: [page], tests_changed: "block" });
  const decision = decide(before("review"), proposal("done"), seen, rules);
  assert.equal(decision.escalation?.cause, "watched");
});

test("a contract without manual scenarios has no gate about them", () => {
  const decision = decide(
    before("review"),
    proposal("done"),
    facts({ checks: checkRun(), task_files_changed: ["STATE.md"] }),
    policy(),
  );
  assert.deepEqual(ends(decision), ["accepted", "done", null, []]);
  assert.deepEqual(decision.manual, []);
  assert.equal(
    decision.gates.some(({ gate }) => /manual/i.test(gate)),
    false,
  );
});

test("the headline says that a person looked, and the grade stays what ran", () => {
  const proof = {
    grade: "kept",
    passed: 2,
    failing: [],
    only_own: false,
    wrong: null,
    reason: null,
    looked: ["page", "print"],
  } as const;
  assert.deepEqual(headlineOf(proof), {
    tone: "amber",
    text: "Done. Nothing broke, but no check fails without this work. A person looked at page, print and said yes",
  });
  assert.deepEqual(headlineOf({ ...proof, looked: [], on_top: ["T-1", "T-2"] }), {
    tone: "amber",
    text: "Done. Nothing broke, but no check fails without this work. It builds on the work of T-1, T-2, which was not committed",
  });
});

test("an answer in a journal has to be one to what was asked", () => {
  const asked = { question: "Q1", fingerprint: "f1", scenarios: [page] };
  const answered = { type: "looked", at: "t", holds: true, said: "yes", tickets: [], ...asked } as const;
  const history = { ...readHistory([]), phase: "needs_user_decision", lookAsked: asked } as const;
  const judged = (event: Parameters<typeof judgeEvent>[0], lookAsked: typeof asked | null = asked) =>
    judgeEvent(event, {
      before: { ...history, lookAsked },
      previous: null,
      next: null,
      read: () => null,
      readPhase: () => null,
    });
  assert.deepEqual(judged(answered), []);
  for (const other of [{ question: "Q2" }, { fingerprint: "f2" }, { scenarios: [print] }])
    assert.match(judged({ ...answered, ...other })[0] ?? "", /answers something else than Q1 asked/);
  assert.match(judged(answered, null)[0] ?? "", /no such question was open/);
});
