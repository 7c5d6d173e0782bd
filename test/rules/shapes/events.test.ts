import assert from "node:assert/strict";
import { test } from "node:test";
import { readHistory } from "../../../lib/rules/add-event.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import { readTaskEvent } from "../../../lib/rules/shapes/events.ts";
import { readUsage } from "../../../lib/rules/usage.ts";
import type { JsonObject } from "../../../lib/text/json-object.ts";
import { check, verdict } from "../../pages/sample-task.ts";
import { cell, heldOut, matrix } from "../matrix-facts.ts";

const at = "2026-11-21T10:00:00.000Z";
const digest = "a".repeat(64);
const end = { kind: "exited", exit_code: 0, signal: null, result_event: true } as const;
const ticket = { id: "t1", source: "validator", name: "tests", text: "make it pass" } as const;
const finding = { severity: "major", text: "no test" } as const;
const change = {
  name: "a.test.ts",
  kind: "test",
  change: "changed",
  detail: "one is gone",
  digest,
  side: "checks",
  answer: null,
} as const;
const escalation = { cause: "stuck", to: "blocked", blockers: "fails the same way", question: null } as const;

/** One event of each type, with every key that it can have. */
const events: { readonly [Type in TaskEvent["type"]]: Required<Extract<TaskEvent, { type: Type }>> } = {
  adopted: { type: "adopted", at, phase: "intake", state: "s", contract_sha256: digest },
  brief_changed: { type: "brief_changed", at, was: digest, contract_sha256: digest, keys: ["text"], state: "s" },
  state_edited: {
    ...{ type: "state_edited", at, from: "shape", to: "implement", reopened: false, tickets: [ticket] },
    ...{ overridden: ["Status"], features: ["export"], state: "s" },
  },
  not_merged: {
    ...{ type: "not_merged", at, from: "done", to: "repair", into: "main", commit: "c", paths: ["a.txt"] },
    ...{ tickets: [ticket], state: "s" },
  },
  edit_refused: { type: "edit_refused", at, from: "shape", to: "done", reason: "illegal", kept: "passes/x" },
  pinned: { type: "pinned", at, protected: { "a.txt": "file 644 x" } },
  watched: {
    ...{
      type: "watched",
      at,
      pass: 1,
      file: "artifacts/passes/0001/watched.json",
      sha256: digest,
      count: 2,
      origin: null,
      dependencies: null,
      held_out: {},
    },
    ...{ origin: digest, dependencies: digest, held_out: { hidden: digest } },
  },
  watch_answered: {
    ...{ type: "watch_answered", at, question: "Q1", accepted: true, changes: [{ name: "a", digest }] },
    tickets: [ticket],
  },
  before: { ...{ type: "before", at, fingerprint: digest, results: [check()], beside: true } },
  pass_started: {
    ...{ type: "pass_started", at, pass: 1, phase: "intake", model: "mine", estimate_usd: 0.1 },
    ...{ prompt_sha256: digest, fingerprint: digest, run: "r", timeout_ms: 1_000, tier: "cheap" },
    ...{ degrade: ["cheap_tier"], head_commit: "abc" },
    runner: { worker: "w1", host: null, attempt: "a1", task_phase: "0.1.0", node: "20.19.0" },
  },
  claimed: {
    ...{ type: "claimed", at, pass: 1, phase: "review", model: "mine", estimate_usd: 0.1, reviewers: 2 },
    ...{
      timeout_ms: 9_000,
      run: "r",
      runner: { worker: "w1", host: null, attempt: "a1", task_phase: "0.1.0", node: "20.19.0" },
    },
  },
  released: { type: "released", at, pass: 1 },
  degraded: { type: "degraded", at, steps: ["cheap_tier"], reason: "82 %" },
  reviewed: {
    ...{ type: "reviewed", at, pass: 2, run: "r1", phase: "review", role: "tests", fingerprint: digest, frame: "[]" },
    ...{ problem: null, findings: [finding], model: "mine", estimate_usd: null, end, duration_ms: 5, cost_usd: 0.2 },
    tokens: { input: 1, output: null },
  },
  defaulted: {
    type: "defaulted",
    at,
    from: "shape",
    to: "shape",
    questions: [{ id: "Q1", taken: "UTF-8" }],
    state: "s",
  },
  approved: { type: "approved", at, frame: "[]", approved: false, said: "smaller", question: "Q1" },
  looked: {
    ...{ type: "looked", at, question: "Q1", fingerprint: digest, holds: false, said: "no: too wide" },
    scenarios: [{ name: "page", look: "the header fits" }],
    tickets: [ticket],
  },
  controlled: { type: "controlled", at, command: "RETRY", detail: "done" },
  verdict: {
    ...verdict(1, {
      reasons: [{ category: "redirect", code: "checks_fail", text: "tests fails" }],
      gates: [{ gate: "checks", ok: false, detail: "tests fails" }],
      tickets: [ticket],
      failure: { signature: "redirected tests", count: 1, passes: [1] },
      escalation,
      checks: { fingerprint_before: digest, fingerprint_after: digest, attempts: 1, moved: [], results: [check()] },
      tampering: [{ path: "a", change: "changed", guard: "config", by: "model", restored: true, detail: null }],
      changed_paths: [{ path: "a.ts", change: "changed" }],
    }),
    made: ["a.ts changed"],
    git_warnings: ["settings or hooks of git changed since the pass began: alias.st"],
    answer: "Shall I?",
    open_questions: ["Q1"],
    watched: [change],
    frame: "[]",
    over_bounds: { phase: "verify", files: 11, lines: null, most: { files: 10, lines: 200 } },
    manual: [
      { name: "page", look: "the header fits", answer: { holds: true, said: "yes", question: "Q1" } },
      { name: "print", look: "one sheet", answer: null },
    ],
    tests_changed: "block",
    matrix: matrix({ without: cell([heldOut()]) }),
    proof: { grade: "shown", passed: 1, failing: ["tests"], only_own: false, wrong: null, reason: null, looked: [] },
    put_back: [{ path: "log.txt", change: "changed", guard: "runner_file", by: "model", restored: true, detail: null }],
    code: { commit: "abc", branch: "main", dirty: false, web: null, kind: "github", pushed: null },
  },
  environment_answered: { type: "environment_answered", at, question: "Q1", part_of_task: true },
  advanced: {
    ...{ type: "advanced", at, from: "intake", to: "shape", state: "s" },
    gates: [{ gate: "Objective is filled", ok: true, detail: "filled" }],
  },
  escalated: { type: "escalated", at, from: "implement", ...escalation, state: "s", open_questions: ["Q1"] },
  undelivered: { type: "undelivered", at, pass: 2, commit: null, paths: ["a.ts"], why: "it lacks a.ts", state: "s" },
  resumed: { type: "resumed", at, from: "blocked", to: "implement", reason: "go on", state: "s" },
  answered: { type: "answered", at, from: "needs_user_decision", to: "shape", questions: ["Q1"], state: "s" },
  cancelled: { type: "cancelled", at, state: "x" },
  held: { type: "held", at, held: { standing: "refused", brief: "b", why: "w" }, state: null },
  relinked: { type: "relinked", at, state: "s" },
  recovered: { type: "recovered", at, pass: 1, restored: ["a"], ended: 0 },
};
const all: readonly TaskEvent[] = Object.values(events);

test("each event is read as it was written, without keys that this version does not know", () => {
  for (const event of all) {
    const later = { ...event, later: 1 };
    assert.deepEqual(readTaskEvent(later), event);
  }
});

test("a value that is wrong anywhere in an event is named, or harms no reader of the history", () => {
  let refused = 0;
  for (const event of all) {
    for (const { path, value } of spoilt(event)) {
      const read = readTaskEvent(value as JsonObject);
      if (typeof read === "string") {
        assert.match(read, /^not an event of this version: /);
        refused += 1;
        continue;
      }
      const line = all.map((one) => (one === event ? read : one));
      assert.doesNotThrow(() => [readHistory(line), readUsage(line)], `${event.type} ${path}`);
    }
  }
  assert.ok(refused > 800, `${refused} were refused`);
});

test("the failure of a verdict is a signature and a count, and the message says where it is not", () => {
  const read = readTaskEvent({ ...events.verdict, failure: { signature: 7, count: 1, passes: [] } });
  assert.equal(read, 'not an event of this version: "verdict": failure.signature: expected string, found 7');
});

/** The value with one of its parts, at any depth, left out or replaced by something else. */
function spoilt(value: unknown, path = ""): { path: string; value: unknown }[] {
  if (typeof value !== "object" || value === null) return [];
  const rebuilt = (key: string, part: { value: unknown } | null): unknown => {
    const entries = Object.entries(value).flatMap(([name, old]) =>
      name !== key ? [[name, old] as const] : part === null ? [] : [[name, part.value] as const],
    );
    return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
  };
  return Object.entries(value).flatMap(([key, part]) => {
    const place = `${path}.${key}`;
    const deeper = spoilt(part, place).map((inner) => ({ path: inner.path, value: rebuilt(key, inner) }));
    const others = [null, 0, -1.5, "", "no such word", true, [], {}, [null]];
    return [
      { path: `${place} left out`, value: rebuilt(key, null) },
      ...others.map((other) => ({
        path: `${place} = ${JSON.stringify(other)}`,
        value: rebuilt(key, { value: other }),
      })),
      ...deeper,
    ];
  });
}
