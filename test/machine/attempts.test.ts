import assert from "node:assert/strict";
import { test } from "node:test";
import { readAttempts } from "../../lib/machine/attempts.ts";
import { addUsage, noUsage } from "../../lib/machine/budgets.ts";
import type { TaskEvent } from "../../lib/machine/events.ts";
import { readUsage } from "../../lib/machine/usage.ts";
import type { VerdictEvent } from "../../lib/machine/verdict-event.ts";
import { passStarted, verdictEvent } from "./arrange.ts";

const place = { state: "", contract: "", repo: "" };
const at = "2026-01-05T12:00:00.000Z";

function started(pass: number, attempt: string | null): TaskEvent {
  const runner = { worker: "w", host: null, attempt: attempt ?? "", task_phase: "0", node: "v20" };
  return passStarted(pass, { at, estimate_usd: 0.5, ...(attempt === null ? {} : { runner }) });
}

function ended(pass: number, changes: Partial<VerdictEvent> = {}): TaskEvent {
  return verdictEvent("implement", "implement", place, { at, pass, model: "mine", duration_ms: 1_000, ...changes });
}

const reviewed = (pass: number): TaskEvent => ({
  ...{ type: "reviewed", at, pass, phase: "review", role: "tests", fingerprint: "", frame: "F", problem: null },
  ...{ findings: [], model: "mine", estimate_usd: null, duration_ms: 10, cost_usd: 0.125 },
  end: { kind: "exited", exit_code: 0, signal: null, result_event: true },
  tokens: { input: 5, output: 1 },
});

test("each claimed pass has the charges of its verdict and of its reviewers, which may work before it begins", () => {
  const events = [
    started(1, "a"),
    ended(1, { cost_usd: 0.25, tokens: { input: 100, output: 10 } }),
    reviewed(2),
    started(2, "b"),
    reviewed(2),
    ended(2, { verdict: "interrupted", end: { kind: "interrupted", reason: "cut off", cause: "signal" }, model: null }),
  ];
  assert.deepEqual(readAttempts(events), [
    { attempt: "a", pass: 1, used: { passes: 1, moneyUsd: 0.25, tokens: 110, timeMs: 1_000 } },
    { attempt: "b", pass: 2, used: { passes: 0, moneyUsd: 0.75, tokens: 12, timeMs: 1_020 } },
  ]);
  const sum = readAttempts(events).reduce((total, { used }) => addUsage(total, used ?? noUsage), noUsage);
  assert.deepEqual(sum, readUsage(events).days.get("2026-01-05"), "the sums agree with those of the budgets");
});

test("a pass without a verdict is open, and one that nobody claimed is no attempt", () => {
  const events = [started(1, null), ended(1, { cost_usd: 1 }), started(2, "a"), reviewed(2)];
  assert.deepEqual(readAttempts(events), [{ attempt: "a", pass: 2, used: null }]);
});

const claimed = (pass: number, attempt: string, reviewers = 2): TaskEvent => ({
  ...{ type: "claimed", at, pass, phase: "review", model: "mine", estimate_usd: 0.5, reviewers, timeout_ms: 60_000 },
  runner: { worker: "w", host: null, attempt, task_phase: "0", node: "v20" },
});
const released = (pass: number): TaskEvent => ({ type: "released", at, pass });

test("a claim that another attempt takes over is charged for its reviewers, and its own pass for none of them", () => {
  const events = [claimed(1, "a"), claimed(1, "b"), reviewed(1), started(1, "b"), ended(1, { cost_usd: 0.25 })];
  assert.deepEqual(
    readAttempts(events).map(({ attempt, used }) => [attempt, used?.moneyUsd]),
    [
      ["a", 1],
      ["b", 0.375],
    ],
  );
  const sum = readAttempts(events).reduce((total, { used }) => addUsage(total, used ?? noUsage), noUsage);
  assert.deepEqual(sum, readUsage(events).days.get("2026-01-05"));
  const whole = [claimed(1, "a"), started(1, null), ended(1, { cost_usd: 0.25 })];
  assert.equal(readAttempts(whole)[0]?.used?.moneyUsd, 1, "a run that claims nothing takes it over too");
});

test("a claim is open until its pass has a verdict, and a released one is charged for what its reviewers said", () => {
  assert.deepEqual(readAttempts([claimed(1, "a")]), [{ attempt: "a", pass: 1, used: null }]);
  assert.equal(readAttempts([claimed(1, "a"), started(1, "a")])[0]?.used, null);
  assert.equal(readAttempts([claimed(1, "a"), reviewed(1), released(1)])[0]?.used?.moneyUsd, 0.125);
  const again = [claimed(1, "a"), released(1), claimed(1, "b", 0), started(1, "b")];
  assert.deepEqual(
    readAttempts(again).map(({ attempt, used }) => [attempt, used?.moneyUsd]),
    [
      ["a", 0],
      ["b", undefined],
    ],
  );
});
