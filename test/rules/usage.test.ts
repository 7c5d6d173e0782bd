import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReviewedEvent, TaskEvent } from "../../lib/rules/events.ts";
import type { ModelEnd } from "../../lib/rules/model-end.ts";
import { elapsedOf, noTaskUsage, readUsage, usageOfRun } from "../../lib/rules/usage.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { passStarted, verdictEvent } from "./arrange.ts";

const place = { state: "", contract: "", repo: "" };
const monday = "2026-01-05T23:59:00.000Z";
const tuesday = "2026-01-06T00:01:00.000Z";
const started = (pass: number, changes: Partial<Extract<TaskEvent, { type: "pass_started" }>> = {}): TaskEvent =>
  passStarted(pass, { at: monday, estimate_usd: 0.5, ...changes });
const ended = (pass: number, changes: Partial<VerdictEvent> = {}) =>
  verdictEvent("implement", "implement", place, { at: monday, pass, model: "mine", duration_ms: 1_000, ...changes });
const exited: ModelEnd = { kind: "exited", exit_code: 0, signal: null, result_event: true };
const reviewed = (pass: number, changes: Partial<ReviewedEvent> = {}): ReviewedEvent => ({
  type: "reviewed",
  at: monday,
  pass,
  phase: "review",
  role: "tests",
  fingerprint: "",
  frame: "F",
  problem: null,
  findings: [],
  model: "mine",
  estimate_usd: null,
  end: exited,
  duration_ms: 10,
  cost_usd: 0.125,
  tokens: { input: 5, output: 1 },
  ...changes,
});

test("a charge belongs to the day of its verdict and to the run of its pass", () => {
  const usage = readUsage([
    started(1, { run: "r1" }),
    ended(1, { cost_usd: 0.25, tokens: { input: 100, output: 10 } }),
    started(2, { run: "r2" }),
    ended(2, { at: tuesday, cost_usd: 1 }),
    started(3),
    ended(3, { at: tuesday, cost_usd: 2 }),
  ]);
  assert.deepEqual(usage, {
    days: new Map([
      ["2026-01-05", { passes: 1, moneyUsd: 0.25, tokens: 110, timeMs: 1_000 }],
      ["2026-01-06", { passes: 2, moneyUsd: 3, tokens: 0, timeMs: 2_000 }],
    ]),
    runs: new Map([
      ["r1", { passes: 1, moneyUsd: 0.25, tokens: 110, timeMs: 1_000 }],
      ["r2", { passes: 1, moneyUsd: 1, tokens: 0, timeMs: 1_000 }],
    ]),
    underWay: null,
  });
});

test("an interrupted pass counts with its time and its estimate, and not as a pass", () => {
  const interrupted = { kind: "interrupted", reason: "cut off", cause: "signal" } as const;
  const { days } = readUsage([started(1), ended(1, { verdict: "interrupted", end: interrupted, model: null })]);
  assert.deepEqual([...days.values()], [{ passes: 0, moneyUsd: 0.5, tokens: 0, timeMs: 1_000 }]);
});

test("an unavailable pass counts with its time, and not as a pass", () => {
  const end = { kind: "auth_failed", reason: "401" } as const;
  const { days } = readUsage([started(1), ended(1, { verdict: "unavailable", end, cost_usd: 0 })]);
  assert.deepEqual([...days.values()], [{ passes: 0, moneyUsd: 0, tokens: 0, timeMs: 1_000 }]);
});

test("a reviewer counts to the run that asked it, though its pass begins in a later run or never", () => {
  const reviews = [reviewed(1, { run: "r1" }), reviewed(1, { role: "security", run: "r1" })];
  const used = { passes: 0, moneyUsd: 0.25, tokens: 12, timeMs: 20 };
  assert.deepEqual([...readUsage(reviews).runs], [["r1", used]]);
  const later = [...reviews, started(1, { run: "r2" })];
  assert.deepEqual([...readUsage(later).runs], [["r1", used]]);
  assert.deepEqual(
    ["r1", "r2"].map((run) => usageOfRun(later, run).spend.knownUsd),
    [0.25, null],
  );
});

test("a pass without a verdict is in progress, with what it is taken to use", () => {
  const events = [
    started(1),
    ended(1, { tokens: { input: 70, output: 7 } }),
    started(2, { run: "r1", timeout_ms: 60_000, at: tuesday }),
  ];
  assert.deepEqual(readUsage(events).underWay, {
    run: "r1",
    at: tuesday,
    isClaim: false,
    passes: 1,
    timeoutMs: 60_000,
    estimateUsd: 0.5,
    tokens: 77,
  });
});

test("a pass that is claimed ahead is in progress, with its reviewers, until it begins or is free again", () => {
  const runner = { worker: "w1", host: null, attempt: "a1", task_phase: "0.1.0", node: "20.19.0" };
  const claimed: TaskEvent = {
    ...{ type: "claimed", at: tuesday, pass: 1, phase: "implement", model: "mine", estimate_usd: 0.5, reviewers: 1 },
    ...{ timeout_ms: 60_000, run: "r1", runner },
  };
  const expected = { run: "r1", at: tuesday, isClaim: true, passes: 1, timeoutMs: 60_000, estimateUsd: 1, tokens: 0 };
  assert.deepEqual(readUsage([claimed]).underWay, expected);
  assert.equal(readUsage([claimed, started(1, { runner })]).underWay?.estimateUsd, 0.5);
  assert.equal(readUsage([claimed, { type: "released", at: tuesday, pass: 1 }]).underWay, null);
});

test("a move in progress without a model is no pass", () => {
  const { underWay } = readUsage([started(1, { model: null, estimate_usd: null })]);
  assert.deepEqual([underWay?.passes, underWay?.tokens], [0, 0]);
});

test("a journal without a pass has used nothing", () => {
  const adopted = { type: "adopted", at: monday, phase: "intake", state: "", contract_sha256: "" } as const;
  assert.deepEqual([readUsage([]), readUsage([adopted])], [noTaskUsage, noTaskUsage]);
});

test("a pass that was cut off worked until now, no longer than it was allowed to, and never less than nothing", () => {
  const now = new Date(Date.parse(monday) + 90_000);
  assert.equal(elapsedOf(monday, now, 600_000), 90_000);
  assert.equal(elapsedOf(monday, now, 60_000), 60_000);
  assert.equal(elapsedOf(monday, now, null), 90_000);
  assert.equal(elapsedOf("2026-01-06T05:00:00.000Z", now, 60_000), 0);
  assert.equal(elapsedOf("no time", now, 60_000), 0);
});
