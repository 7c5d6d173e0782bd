import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../lib/rules/decide.ts";
import type { ReviewStanding } from "../../lib/rules/facts.ts";
import { findingsClosed, findingsKept, openFindings } from "../../lib/rules/gates-review.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { StateView } from "../../lib/rules/state-view.ts";
import { before, checkRun, facts, policy, proposal, stateAt } from "./arrange.ts";

const review = { reviewers: ["security", "tests"], at: ["shape", "review"] } as const;

function standing(role: string, overrides: Partial<ReviewStanding> = {}): ReviewStanding {
  return { role, current: true, problem: null, findings: [], ...overrides };
}

const blocking = standing("security", {
  findings: [
    { severity: "blocking", text: "the key is logged" },
    { severity: "minor", text: "a long line" },
    { severity: "blocking", text: "no owner is checked" },
  ],
});

function judge(
  from: Phase,
  to: Phase,
  reviews: readonly ReviewStanding[] | undefined,
  due: typeof review | null = review,
) {
  const seen = facts({
    fingerprint: { before: "f1", after: "f1", present: null },
    checks: checkRun(),
    task_files_changed: ["STATE.md"],
    ...(reviews === undefined ? {} : { reviews }),
  });
  return decide(before(from), proposal(to), seen, policy(due === null ? {} : { review: due }));
}

function told({ verdict, to, reasons, tickets }: ReturnType<typeof judge>) {
  return {
    verdict,
    to,
    codes: reasons.map(({ code }) => code),
    tickets: tickets.map(({ id, text }) => `${id} ${text}`),
  };
}

test("a review that all reviewers are content with is done", () => {
  assert.deepEqual(told(judge("review", "done", [standing("security"), standing("tests")])), {
    verdict: "accepted",
    to: "done",
    codes: [],
    tickets: [],
  });
});

test("a record from before there were reviewers decides as it did", () => {
  const decision = judge("review", "done", undefined, null);
  assert.deepEqual(
    [decision.verdict, decision.gates.filter(({ gate }) => gate.startsWith("Reviewer"))],
    ["accepted", []],
  );
});

test("in review what blocks goes to repair, one ticket for each finding", () => {
  assert.deepEqual(told(judge("review", "done", [blocking, standing("tests")])), {
    verdict: "redirected",
    to: "repair",
    codes: ["review_security"],
    tickets: ["reviewer:security:1 the key is logged", "reviewer:security:2 no owner is checked"],
  });
});

test("a finding that does not block stops nothing", () => {
  const noted = standing("tests", { findings: [{ severity: "major", text: "slow" }] });
  assert.equal(judge("review", "done", [standing("security"), noted]).verdict, "accepted");
});

for (const [name, tests] of [
  ["that gave no readable report", standing("tests", { problem: "it said nothing" })],
  ["whose report is about other code", standing("tests", { current: false })],
  ["that nobody knows anything of", null],
] as const) {
  test(`a reviewer ${name} shuts the gate, and no repair is spent on it`, () => {
    const reviews = [standing("security"), ...(tests === null ? [] : [tests])];
    assert.deepEqual(told(judge("review", "done", reviews)), {
      verdict: "rejected",
      to: "review",
      codes: ["review_tests_missing"],
      tickets: [],
    });
  });
}

test("beside a missing report, what blocks decides: the repair is needed in any case", () => {
  const decision = told(judge("review", "done", [blocking, standing("tests", { problem: "it said nothing" })]));
  assert.deepEqual(
    [decision.verdict, decision.codes, decision.tickets.length],
    ["redirected", ["review_security", "review_tests_missing"], 2],
  );
});

test("an old report that blocked is no open finding, and no proof that it is closed", () => {
  const decision = told(judge("review", "done", [{ ...blocking, current: false }, standing("tests")]));
  assert.deepEqual([decision.verdict, decision.codes, decision.tickets], ["rejected", ["review_security_missing"], []]);
});

test("in shape what blocks rejects the pass", () => {
  const decision = judge("shape", "implement", [blocking, standing("tests")]);
  assert.deepEqual(told(decision), { verdict: "rejected", to: "shape", codes: ["review_security"], tickets: [] });
  assert.match(
    decision.reason,
    /^reviewer security reported 2 blocking findings: the key is logged; no owner is checked$/,
  );
});

test("a phase that the contract leaves out has no reviewers", () => {
  const only = { reviewers: ["security"], at: ["review"] } as unknown as typeof review;
  assert.equal(judge("shape", "implement", [], only).verdict, "accepted");
  const shape = { reviewers: ["security"], at: ["shape"] } as unknown as typeof review;
  assert.equal(judge("review", "done", [], shape).verdict, "accepted");
});

test("in verify only what is known to block on this very code stands in the way", () => {
  assert.equal(judge("verify", "review", []).verdict, "accepted");
  assert.equal(judge("verify", "review", [standing("security", { problem: "it said nothing" })]).verdict, "accepted");
  assert.equal(judge("verify", "review", [{ ...blocking, current: false }]).verdict, "accepted");
  assert.deepEqual(told(judge("verify", "review", [blocking])).codes, ["review_security"]);
  assert.equal(judge("verify", "review", [blocking]).to, "repair");
  const shape = { reviewers: ["security"], at: ["shape"] } as unknown as typeof review;
  assert.equal(judge("verify", "review", [blocking], shape).verdict, "accepted");
});

test("a model may go to repair with nothing but what a reviewer found", () => {
  assert.deepEqual(told(judge("review", "repair", [blocking, standing("tests")])), {
    verdict: "accepted",
    to: "repair",
    codes: [],
    tickets: ["reviewer:security:1 the key is logged", "reviewer:security:2 no owner is checked"],
  });
  assert.equal(judge("review", "repair", [standing("security"), standing("tests")]).verdict, "rejected");
});

test("many findings and long ones are shortened in the reason, and whole in the tickets", () => {
  const many = standing("security", {
    findings: Array.from({ length: 7 }, (_, index) => ({
      severity: "blocking" as const,
      text: `${index}${"x".repeat(500)}`,
    })),
  });
  const decision = judge("review", "done", [many, standing("tests")]);
  assert.match(decision.reason, /^reviewer security reported 7 blocking findings: 0x+; .*; and 2 more$/);
  assert.ok(decision.reason.length < 1_200);
  assert.deepEqual(
    decision.tickets.map(({ text }) => text.length),
    Array(7).fill(501),
  );
});

const at = (phase: Phase, findings: readonly string[], lists: Partial<StateView> = {}): StateView =>
  stateAt(phase, {}, { findings, ...lists });

test("every item that is not blank is open, no matter who added it", () => {
  assert.deepEqual(openFindings(at("verify", ["a", " ", "b"])), ["a", "b"]);
  assert.equal(findingsClosed(at("verify", [" "], { closed_findings: ["a"] })).ok, true);
  const { ok, failed, onFailure } = findingsClosed(at("verify", ["the total  is wrong", "b"]));
  assert.equal(ok, false);
  assert.equal(onFailure, "reject");
  assert.match(failed, /^of the items under Findings 2 are open: the total is wrong; propose `repair`/);
});

test("an open finding may be kept, ticked, extended or moved to Notes", () => {
  const before = at("implement", ["The total is wrong"]);
  for (const after of [
    at("implement", ["the total is  wrong"]),
    at("implement", ["The total is wrong for -1 (add.mjs:1)"]),
    at("verify", [], { closed_findings: ["The total is wrong"] }),
    at("verify", [], { notes: ["The total is wrong: no defect, the brief wants it so"] }),
    at("verify", [], { notes: ["The brief wants these so:", "The total is wrong"] }),
  ])
    assert.deepEqual(findingsKept(before, after), []);
});

test("a pass that removes an open finding is rejected", () => {
  const [gate] = findingsKept(at("implement", ["a b", "c"]), at("verify", ["c"], { closed_findings: ["other"] }));
  assert.equal(gate?.ok, false);
  assert.match(gate?.failed ?? "", /^a finding that was open is gone from Findings: a b; put it back, tick it/);
});

test("a finding that is moved to Notes without a word why is removed", () => {
  const known = { notes: ["An earlier note"] };
  for (const notes of [["a b"], ["An earlier note", "a b"], ["a b."], ["- a b", "a  B"]]) {
    const [gate] = findingsKept(stateAt("verify", {}, { findings: ["a b"], ...known }), at("review", [], { notes }));
    assert.match(gate?.failed ?? "", /^a finding that was open is gone/, notes.join());
  }
});

test("a repair may remove a finding if it has written a new Current result", () => {
  const before = stateAt("repair", { current_result: "The total is made" }, { findings: ["a b"] });
  const [gate] = findingsKept(before, stateAt("verify", { current_result: " the total is  made" }));
  assert.match(gate?.failed ?? "", /^a finding that was open is gone from Findings: a b; .* Current result/);
  assert.deepEqual(findingsKept(before, stateAt("verify", { current_result: "-1 is now added" })), []);
});
