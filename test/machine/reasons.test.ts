import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelEnd } from "../../lib/machine/model-end.ts";
import {
  endReasons,
  gateReasons,
  proposalReasons,
  tamperReasons,
  transitionReasons,
} from "../../lib/machine/reasons.ts";
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

test("a pass that was withheld is decided by what had changed, and is tampering even where that is not told", () => {
  assert.deepEqual(
    ended({ kind: "withheld", reason: "the brief changed" }, { tampering: [tamper({ by: "baseline" })] }),
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
    tamper({ path: ".git", guard: "git", change: "removed", by: "baseline", restored: false }),
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
      code: "tampered_git",
      text: "a validator or scenario of the baseline removed .git, which it must not; it could not be restored",
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
      { ...gate, ok: false, onFailure: "ask" },
      { ...gate, ok: false, onFailure: "redirect" },
    ]),
    [
      { category: "gate", code: "g", text: "G does not hold: why" },
      { category: "gate", code: "g", text: "G does not hold: why" },
      { category: "redirect", code: "g", text: "G does not hold: why" },
    ],
  );
});
