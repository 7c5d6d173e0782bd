import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { afterPass, isStrike } from "../../lib/loop/after-pass.ts";
import type { PassReport } from "../../lib/pass/request.ts";

const exited = { kind: "exited", exit_code: 0, signal: null, result_event: true } as const;
const report = (changes: Partial<PassReport>): PassReport => ({
  task: "T-1",
  taskDir: "/tasks/T-1",
  pass: 1,
  from: "implement",
  proposed: "implement",
  to: "implement",
  verdict: "accepted",
  reason: "why",
  exitName: "ok",
  model: "mine",
  durationMs: 1,
  costUsd: null,
  tokens: { input: null, output: null },
  progress: [],
  validators: [],
  tickets: [],
  overridden: [],
  findings: [],
  evidence: null,
  evidenceUrl: null,
  noted: 1,
  escalated: null,
  aborted: false,
  end: exited,
  nextEligibleAt: null,
  stages: [],
  prompt: null,
  ...changes,
});
const goOn = { kind: "go_on", asideModel: null };
const at = "2026-11-21T12:15:00.000Z";

describe("goes on", () => {
  for (const verdict of ["accepted", "redirected", "rejected", "no_progress", "unavailable"] as const) {
    test(`after a pass that was ${verdict}`, () => {
      assert.deepEqual(afterPass(report({ verdict }), 0), goOn);
    });
  }

  test("after a repair attempt that a person skipped", () => {
    const end = { kind: "interrupted", reason: "skipped", cause: "skip" } as const;
    assert.deepEqual(afterPass(report({ verdict: "interrupted", exitName: "paused", end }), 0), goOn);
  });

  test("without the model whose program does not start or whose login is refused", () => {
    for (const end of [
      { kind: "not_started", reason: "gone" },
      { kind: "auth_failed", reason: "401" },
    ] as const)
      assert.deepEqual(afterPass(report({ verdict: "unavailable", exitName: "unavailable", end }), 0), {
        kind: "go_on",
        asideModel: "mine",
      });
  });

  test("without the model that answered nothing three times", () => {
    const silent = report({ verdict: "unavailable", exitName: "unavailable" });
    assert.deepEqual(
      [0, 1, 2].map((strikes) => afterPass(silent, strikes)),
      [goOn, goOn, { kind: "go_on", asideModel: "mine" }],
    );
  });

  test("with the model that timed out: the third one in a row stops the task by itself", () => {
    const timedOut = report({ verdict: "unavailable", end: { kind: "timed_out", timeout_ms: 1 } });
    assert.deepEqual([afterPass(timedOut, 9), isStrike(timedOut)], [goOn, false]);
  });
});

test("waits where every model cools down, after a pass and before one", () => {
  const wait = { kind: "wait", until: new Date(at), reason: "why" };
  const unavailable = { exitName: "unavailable", nextEligibleAt: at } as const;
  const end = { kind: "limited", cause: "rate_limit", reason: "429", until: null } as const;
  assert.deepEqual(afterPass(report({ ...unavailable, verdict: "unavailable", end }), 0), wait);
  assert.deepEqual(afterPass(report({ ...unavailable, verdict: null, end: null }), 0), wait);
});

describe("leaves the task", () => {
  for (const to of ["done", "blocked", "needs_user_decision"] as const) {
    test(`that landed in ${to}`, () => {
      assert.deepEqual(afterPass(report({ to, exitName: "ok" }), 0), { kind: "leave", exitName: "ok", reason: "why" });
    });
  }

  test("that the runner stopped, also where its phase is kept", () => {
    const stuck = report({ verdict: "no_progress", exitName: "no_progress", escalated: "no_progress", to: "intake" });
    assert.deepEqual(afterPass(stuck, 0), { kind: "leave", exitName: "no_progress", reason: "why" });
  });

  for (const exitName of [
    "ok",
    "rejected",
    "blocked",
    "needs_user_decision",
    "iterations",
    "unavailable",
    "paused",
  ] as const) {
    test(`on which no pass ran, with ${exitName}`, () => {
      const next = afterPass(report({ verdict: null, end: null, exitName }), 0);
      assert.deepEqual(next, { kind: "leave", exitName, reason: "why" });
    });
  }

  test("whose own budget is spent", () => {
    const next = afterPass(report({ verdict: null, end: null, exitName: "budget", escalated: "money" }), 0);
    assert.deepEqual(next, { kind: "leave", exitName: "budget", reason: "why" });
  });
});

describe("stops", () => {
  test("at the budget of the call or the day", () => {
    const next = afterPass(report({ verdict: null, end: null, exitName: "budget" }), 0);
    assert.deepEqual(next, { kind: "stop", exitName: "budget", reason: "why" });
  });

  for (const exitName of ["sigint", "sigterm", "sighup"] as const) {
    test(`at ${exitName}, before a model and after one`, () => {
      const stop = { kind: "stop", exitName, reason: "why" };
      const end = { kind: "interrupted", reason: "signal" } as const;
      assert.deepEqual(afterPass(report({ verdict: "interrupted", exitName, end }), 0), stop);
      assert.deepEqual(afterPass(report({ verdict: null, end: null, exitName }), 0), stop);
    });
  }

  test("where a person aborted it, in a pass or before one", () => {
    const stop = { kind: "stop", exitName: "paused", reason: "why" };
    const end = { kind: "interrupted", reason: "ABORT", cause: "abort" } as const;
    assert.deepEqual(afterPass(report({ verdict: "interrupted", exitName: "paused", end }), 0), stop);
    assert.deepEqual(afterPass(report({ verdict: null, end: null, exitName: "paused", aborted: true }), 0), stop);
  });
});
