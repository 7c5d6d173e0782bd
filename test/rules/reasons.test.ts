import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelEnd } from "../../lib/rules/model-end.ts";
import {
  endReasons,
  gateReasons,
  measureProgress,
  nothingChanged,
  proposalReasons,
  tamperReasons,
  transitionReasons,
} from "../../lib/rules/reasons.ts";
import { stateFields } from "../../lib/rules/state-view.ts";
import { facts, proposal, stateAt, tamper } from "./arrange.ts";

const at = stateAt("implement");
const same = proposal("implement");
const ended = (end: ModelEnd, overrides = {}) => endReasons(at, same, facts({ end, ...overrides }));

test("a pass that was cut off is interrupted, in the words of what cut it off", () => {
  assert.deepEqual(ended({ kind: "interrupted", reason: "SIGTERM", cause: "signal" }), [
    { category: "interrupted", code: "interrupted", text: "SIGTERM" },
  ]);
});

test("a timeout, a limit, a failed login and a model that did not start are unavailable", () => {
  assert.deepEqual(
    [
      ...ended({ kind: "timed_out", timeout_ms: 90_000 }),
      ...ended({ kind: "limited", cause: "rate_limit", reason: "429", until: null }),
      ...ended({ kind: "auth_failed", reason: "log in" }),
      ...ended({ kind: "not_started", reason: "ENOENT" }),
    ],
    [
      { category: "unavailable", code: "timed_out", text: "the model did not end within 90 s" },
      { category: "unavailable", code: "limited", text: "429" },
      { category: "unavailable", code: "auth_failed", text: "log in" },
      { category: "unavailable", code: "not_started", text: "ENOENT" },
    ],
  );
});

test("a timeout without a sign of work is another reason, unless something changed", () => {
  const waited: ModelEnd = { kind: "timed_out", timeout_ms: 90_000, silent: true };
  const text = (who: string) => `${who} gave no sign of work within 90 s`;
  assert.deepEqual(
    [...ended(waited), ...ended({ ...waited, role: "security" })],
    [
      { category: "unavailable", code: "no_answer", text: text("the model") },
      { category: "unavailable", code: "no_answer", text: text("reviewer security") },
    ],
  );
  const codes = (overrides: object) => ended(waited, overrides).map(({ code }) => code);
  assert.deepEqual(codes({ fingerprint: { before: "a", after: "b", present: null } }), ["timed_out"]);
  assert.deepEqual(codes({ artifacts_changed: ["artifacts/a.txt"] }), ["timed_out"]);
});

const silent: ModelEnd = { kind: "exited", exit_code: 0, signal: null, result_event: false };

test("an exit of 0 with no result event and no change is unavailable", () => {
  assert.deepEqual(ended(silent), [
    {
      category: "unavailable",
      code: "nothing_happened",
      text: "the model ended without any result and without any change",
    },
  ]);
});

test("an exit of 0 with a result event, with a change or with an unreadable STATE.md is judged by what it did", () => {
  assert.deepEqual(ended({ ...silent, result_event: true }), []);
  assert.deepEqual(ended(silent, { fingerprint: { before: "a", after: "b", present: null } }), []);
  assert.deepEqual(endReasons(at, proposal("implement", { next_step: "other" }), facts({ end: silent })), []);
  assert.deepEqual(endReasons(at, { kind: "unreadable", problems: ["no list"] }, facts({ end: silent })), []);
});

test("a crash, a kill and a refused call that changed nothing are unavailable, in the program's own words", () => {
  const told = (end: Partial<ModelEnd>) =>
    ended({ ...silent, ...end } as ModelEnd).map(({ code, text }) => [code, text]);
  assert.deepEqual(
    [
      told({ exit_code: 3, said: "Error: connection refused" }),
      told({ exit_code: null, signal: "SIGKILL", said: null }),
      told({ said: "Usage: pi" }),
    ],
    [
      [["nothing_happened", "the model ended with exit code 3 and changed nothing: Error: connection refused"]],
      [["nothing_happened", "the model was killed by signal SIGKILL and changed nothing"]],
      [["nothing_happened", "the model ended without a result and changed nothing: Usage: pi"]],
    ],
  );
});

test("any other end is judged like a success", () => {
  const crashed: ModelEnd = { ...silent, exit_code: 1, said: "boom" };
  assert.deepEqual(ended({ ...crashed, result_event: true }), []);
  assert.deepEqual(ended(crashed, { fingerprint: { before: "a", after: "b", present: null } }), []);
});

test("a withheld pass is decided by its changes, and is tampering even if they are not listed", () => {
  assert.deepEqual(
    ended({ kind: "withheld", reason: "the brief changed" }, { tampering: [tamper({ by: "before" })] }),
    [],
  );
  assert.deepEqual(ended({ kind: "withheld", reason: "the brief changed" }), [
    { category: "tampering", code: "withheld", text: "the brief changed" },
  ]);
});

test("each thing that must not change is one reason that says who did what and what became of it", () => {
  const tampering = [
    tamper(),
    tamper({ path: "a.test.ts", guard: "protected", change: "removed", by: "validators", detail: "mode 0644" }),
    tamper({ path: "tasks/T-2", change: "added" }),
    tamper({ path: ".git", guard: "git", change: "removed", by: "before", restored: false }),
  ];
  assert.deepEqual(tamperReasons(facts({ tampering })), [
    {
      category: "tampering",
      code: "tampered_task_file",
      text: "the pass changed README.md, which it must not; it was restored",
    },
    {
      category: "tampering",
      code: "tampered_protected",
      text: "a validator or scenario removed a.test.ts, which it must not (mode 0644); it was restored",
    },
    {
      category: "tampering",
      code: "tampered_task_file",
      text: "the pass added tasks/T-2, which it must not; it was removed",
    },
    {
      category: "tampering",
      code: "tampered_git",
      text: "a validator or scenario that ran before the work removed .git, which it must not; it could not be restored",
    },
  ]);
});

test("each problem of an unreadable proposal and each secret in it is one reason", () => {
  assert.deepEqual(proposalReasons({ kind: "unreadable", problems: ["a", "b"] }, facts({ secrets: ["github"] })), [
    { category: "unreadable", code: "unreadable", text: "a" },
    { category: "unreadable", code: "unreadable", text: "b" },
    {
      category: "unreadable",
      code: "secret_in_proposal",
      text: "STATE.md contains what looks like a secret (github); remove it, and name where it is kept instead",
    },
  ]);
  assert.deepEqual(proposalReasons(same, facts()), []);
});

test("an illegal transition is answered with the phases that may be proposed", () => {
  assert.deepEqual(transitionReasons("implement", "done"), [
    {
      category: "illegal",
      code: "illegal_transition",
      text: "implement → done is not allowed; from implement a pass may propose implement, verify, blocked, needs_user_decision",
    },
  ]);
  assert.deepEqual(transitionReasons("implement", "verify"), []);
});

test("a gate that failed is a reason, as redirect where it sends the task to repair", () => {
  const gate = { gate: "G holds", detail: "why", code: "g", failed: "G does not hold: why" };
  assert.deepEqual(
    gateReasons([
      { ...gate, ok: true, onFailure: "reject" },
      { ...gate, ok: false, onFailure: "reject" },
      { ...gate, ok: false, onFailure: "redirect" },
    ]),
    [
      { category: "gate", code: "g", text: "G does not hold: why" },
      { category: "redirect", code: "g", text: "G does not hold: why" },
    ],
  );
});

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
