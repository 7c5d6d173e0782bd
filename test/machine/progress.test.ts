import assert from "node:assert/strict";
import { test } from "node:test";
import { measureProgress, nothingChanged } from "../../lib/machine/progress.ts";
import { stateFields } from "../../lib/machine/state-view.ts";
import { facts, stateAt, tamper } from "./arrange.ts";

const still = stateAt("implement");

test("a pass that moved nothing made no progress", () => {
  assert.deepEqual(measureProgress(still, stateAt("implement"), facts()), []);
});

test("another fingerprint is a code change", () => {
  assert.deepEqual(measureProgress(still, still, facts({ fingerprint: { before: "a", after: "b", present: null } })), [
    "code_change",
  ]);
});

test("changed code is no progress in a phase that is not for code, and was some before that was recorded", () => {
  const moved = { fingerprint: { before: "a", after: "b", present: null } };
  for (const [counts, expected] of [
    [false, []],
    [true, ["code_change"]],
  ] as const)
    assert.deepEqual(measureProgress(still, still, facts({ ...moved, code_counts: counts })), expected);
  assert.equal(nothingChanged(still, still, facts({ ...moved, code_counts: false })), false);
});

test("another phase is a state change", () => {
  assert.deepEqual(measureProgress(still, stateAt("verify"), facts()), ["state_change"]);
});

for (const { key, label, owner } of stateFields) {
  const expected = owner === "runner" || owner === "status" ? [] : ["state_change"];
  if (key === "phase" || key === "blockers") continue;
  test(`another ${label} ${expected.length === 0 ? "never counts" : "is a state change"}`, () => {
    const value = key === "candidate_done" || key === "repair_applied" ? "no" : "fail";
    const start = stateAt("implement", { candidate_done: "yes", repair_applied: "yes" });
    const after = { ...start, fields: { ...start.fields, [key]: value } };
    assert.deepEqual(measureProgress(start, after, facts()), expected);
  });
}

test("all runner fields and Status together never count", () => {
  const after = stateAt("implement", {
    status: "nearly there",
    evidence_link: "[proof](artifacts/run.log)",
    validator_status: "pass",
    repair_applied: "yes",
    revalidation_status: "pass",
    last_updated: "2027-01-01T00:00:00Z",
  });
  assert.deepEqual(measureProgress(still, after, facts()), []);
});

test("a ticked step is a state change, a new open one and an unticked one are not", () => {
  const open = [{ text: "a", done: false }];
  const ticked = [{ text: "a", done: true }];
  assert.deepEqual(measureProgress(still, still, facts({ steps: { before: open, after: ticked } })), ["state_change"]);
  assert.deepEqual(measureProgress(still, still, facts({ steps: { before: ticked, after: open } })), []);
  assert.deepEqual(measureProgress(still, still, facts({ steps: { before: [], after: open } })), []);
});

test("a step that is new and ticked at once was never open work, so it is no progress", () => {
  const known = { text: "a", done: false };
  const steps = { before: [known], after: [known, { text: "b", done: true }] };
  assert.deepEqual(measureProgress(still, still, facts({ steps })), []);
});

test("a new artifact or a new row of EVIDENCE.md is an evidence gain", () => {
  assert.deepEqual(measureProgress(still, still, facts({ artifacts_changed: ["artifacts/x.png"] })), ["evidence_gain"]);
  assert.deepEqual(measureProgress(still, still, facts({ evidence_rows_added: ["| a | b |"] })), ["evidence_gain"]);
});

test("a blocker that is now named is clarified, one that is cleared only changed", () => {
  const named = stateAt("implement", { blockers: "no key for the API" });
  assert.deepEqual(measureProgress(still, named, facts()), ["state_change", "blocker_clarification"]);
  assert.deepEqual(measureProgress(named, still, facts()), ["state_change"]);
  assert.deepEqual(measureProgress(named, named, facts()), []);
});

test("a risk that was open and is ticked is reduced; a deleted, a new or an already ticked one is not", () => {
  const open = stateAt("implement", {}, { risks: [{ text: "slow", done: false }] });
  const closed = stateAt("implement", {}, { risks: [{ text: "slow", done: true }] });
  assert.deepEqual(measureProgress(open, closed, facts()), ["risk_reduction"]);
  assert.deepEqual(measureProgress(open, still, facts()), []);
  assert.deepEqual(measureProgress(still, closed, facts()), []);
  assert.deepEqual(measureProgress(closed, closed, facts()), []);
});

test("a new question that is well formed is progress", () => {
  assert.deepEqual(measureProgress(still, still, facts({ open_questions: ["Q1"], questions_asked: ["Q1"] })), [
    "question",
  ]);
  assert.deepEqual(measureProgress(still, still, facts({ open_questions: ["Q1"], questions_asked: [] })), []);
});

test("everything at once is listed in the order of the contract", () => {
  const start = stateAt("implement", {}, { risks: [{ text: "slow", done: false }] });
  const after = stateAt("verify", { blockers: "one" }, { risks: [{ text: "slow", done: true }] });
  const seen = facts({
    fingerprint: { before: "a", after: "b", present: null },
    artifacts_changed: ["artifacts/x"],
    questions_asked: ["Q1"],
  });
  assert.deepEqual(measureProgress(start, after, seen), [
    "code_change",
    "state_change",
    "evidence_gain",
    "blocker_clarification",
    "risk_reduction",
    "question",
  ]);
});

test("nothing changed only where repo, proof, task files and steps all stand as they were", () => {
  const moved = [
    facts({ fingerprint: { before: "a", after: "b", present: null } }),
    facts({ artifacts_changed: ["artifacts/x"] }),
    facts({ evidence_rows_added: ["| a |"] }),
    facts({ tampering: [tamper()] }),
    facts({ task_files_changed: ["DECISIONS.md"] }),
    facts({ steps: { before: [], after: [{ text: "a", done: false }] } }),
  ];
  assert.equal(nothingChanged(still, stateAt("implement"), facts()), true);
  assert.deepEqual(
    moved.map((seen) => nothingChanged(still, still, seen)),
    [false, false, false, false, false, false],
  );
  assert.equal(nothingChanged(still, stateAt("implement", { status: "other" }), facts()), false);
});
