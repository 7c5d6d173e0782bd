import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { afterPass } from "../../lib/loop/after-pass.ts";
import type { PassReport } from "../../lib/task/request.ts";

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
  made: [],
  validators: [],
  tickets: [],
  overridden: [],
  findings: [],
  evidence: null,
  evidenceUrl: null,
  asks: [],
  doneTone: null,
  noted: 1,
  escalated: null,
  aborted: false,
  end: exited,
  nextEligibleAt: null,
  stages: [],
  prompt: null,
  ...changes,
});
const goOn = { kind: "go_on", aside: null };
const at = "2026-11-21T12:15:00.000Z";

describe("goes on", () => {
  for (const verdict of ["accepted", "redirected", "rejected", "no_progress"] as const) {
    test(`after a pass that was ${verdict}`, () => {
      assert.deepEqual(afterPass(report({ verdict })), goOn);
    });
  }

  test("after a repair attempt that a person skipped", () => {
    const end = { kind: "interrupted", reason: "skipped", cause: "skip" } as const;
    assert.deepEqual(afterPass(report({ verdict: "interrupted", exitName: "paused", end })), goOn);
  });

  test("without the model that could not be asked or came to nothing, and with why", () => {
    const crashed = { kind: "exited", exit_code: 3, signal: null, result_event: false, said: "boom" } as const;
    const silent = { kind: "exited", exit_code: 0, signal: null, result_event: false } as const;
    const ends = [
      { kind: "not_started", reason: "gone" },
      { kind: "auth_failed", reason: "401" },
      crashed,
      silent,
    ] as const;
    for (const end of ends) {
      const unavailable = report({ verdict: "unavailable", exitName: "unavailable", end });
      assert.deepEqual(afterPass(unavailable), { kind: "go_on", aside: { name: "mine", reason: "why" } });
    }
  });

  test("with the model that timed out: the third one in a row stops the task by itself", () => {
    const timedOut = report({ verdict: "unavailable", end: { kind: "timed_out", timeout_ms: 1 } });
    assert.deepEqual(afterPass(timedOut), goOn);
  });
});

test("waits where every model is cooling down, after a pass and before one", () => {
  const wait = { kind: "wait", until: new Date(at), reason: "why" };
  const unavailable = { exitName: "unavailable", nextEligibleAt: at } as const;
  const end = { kind: "limited", cause: "rate_limit", reason: "429", until: null } as const;
  assert.deepEqual(afterPass(report({ ...unavailable, verdict: "unavailable", end })), wait);
  assert.deepEqual(afterPass(report({ ...unavailable, verdict: null, end: null })), wait);
});

describe("leaves the task", () => {
  for (const to of ["done", "blocked", "needs_user_decision"] as const) {
    test(`that landed in ${to}`, () => {
      assert.deepEqual(afterPass(report({ to, exitName: "ok" })), { kind: "leave", exitName: "ok", reason: "why" });
    });
  }

  test("that the runner stopped, also where its phase is kept", () => {
    const stuck = report({ verdict: "no_progress", exitName: "no_progress", escalated: "no_progress", to: "intake" });
    assert.deepEqual(afterPass(stuck), { kind: "leave", exitName: "no_progress", reason: "why" });
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
      const next = afterPass(report({ verdict: null, end: null, exitName }));
      assert.deepEqual(next, { kind: "leave", exitName, reason: "why" });
    });
  }

  test("whose own budget is spent", () => {
    const next = afterPass(report({ verdict: null, end: null, exitName: "budget", escalated: "money" }));
    assert.deepEqual(next, { kind: "leave", exitName: "budget", reason: "why" });
  });
});

describe("stops", () => {
  test("at the budget of the call or the day", () => {
    const next = afterPass(report({ verdict: null, end: null, exitName: "budget" }));
    assert.deepEqual(next, { kind: "stop", exitName: "budget", reason: "why" });
  });

  for (const exitName of ["sigint", "sigterm", "sighup"] as const) {
    test(`at ${exitName}, before a model and after one`, () => {
      const stop = { kind: "stop", exitName, reason: "why" };
      const end = { kind: "interrupted", reason: "signal", cause: "signal" } as const;
      assert.deepEqual(afterPass(report({ verdict: "interrupted", exitName, end })), stop);
      assert.deepEqual(afterPass(report({ verdict: null, end: null, exitName })), stop);
    });
  }

  test("where a person aborted it, in a pass or before one", () => {
    const stop = { kind: "stop", exitName: "paused", reason: "why" };
    const end = { kind: "interrupted", reason: "ABORT", cause: "abort" } as const;
    assert.deepEqual(afterPass(report({ verdict: "interrupted", exitName: "paused", end })), stop);
    assert.deepEqual(afterPass(report({ verdict: null, end: null, exitName: "paused", aborted: true })), stop);
  });
});
