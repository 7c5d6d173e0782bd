import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { afterPass } from "../../../lib/queue/loop/one-pass.ts";
import { emptyRun, type PassDetails, type PassReport } from "../../../lib/task/request.ts";

const exited = { kind: "exited", exit_code: 0, signal: null, result_event: true } as const;
const details: PassDetails = {
  ...{ taskDir: "/tasks/T-1", checks: [], made: [], asks: [], evidenceUrl: null, doneTone: null, noted: 1 },
  ...{ escalated: null, end: exited, aborted: false, unkept: false, moves: [] },
};
const report = (keys: Partial<PassReport>, more: Partial<PassDetails> = {}): PassReport => ({
  ...emptyRun("ok", []),
  ...{ task: "T-1", pass: 1, from: "implement", proposed: "implement", to: "implement", verdict: "accepted" },
  ...{ reason: "why", model: "mine", duration_ms: 1 },
  ...keys,
  details: { ...details, ...more },
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
    assert.deepEqual(afterPass(report({ verdict: "interrupted", exit_name: "paused" }, { end })), goOn);
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
      const unavailable = report({ verdict: "unavailable", exit_name: "unavailable" }, { end });
      assert.deepEqual(afterPass(unavailable), { kind: "go_on", aside: { name: "mine", reason: "why" } });
    }
  });

  test("with the model that timed out: the third one in a row stops the task by itself", () => {
    const timedOut = report({ verdict: "unavailable" }, { end: { kind: "timed_out", timeout_ms: 1 } });
    assert.deepEqual(afterPass(timedOut), goOn);
  });
});

test("waits where every model is cooling down, after a pass and before one", () => {
  const wait = { kind: "wait", until: new Date(at), reason: "why" };
  const unavailable = { exit_name: "unavailable", next_eligible_at: at } as const;
  const end = { kind: "limited", cause: "rate_limit", reason: "429", until: null } as const;
  assert.deepEqual(afterPass(report({ ...unavailable, verdict: "unavailable" }, { end })), wait);
  assert.deepEqual(afterPass(report({ ...unavailable, verdict: null }, { end: null })), wait);
});

describe("leaves the task", () => {
  for (const to of ["done", "blocked", "needs_user_decision"] as const) {
    test(`that landed in ${to}`, () => {
      assert.deepEqual(afterPass(report({ to, exit_name: "ok" })), { kind: "leave", exitName: "ok", reason: "why" });
    });
  }

  test("that the runner stopped, also where its phase is kept", () => {
    const stuck = report(
      { verdict: "no_progress", exit_name: "no_progress", to: "intake" },
      { escalated: "no_progress" },
    );
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
      const next = afterPass(report({ verdict: null, exit_name: exitName }, { end: null }));
      assert.deepEqual(next, { kind: "leave", exitName, reason: "why" });
    });
  }

  test("whose own budget is spent", () => {
    const next = afterPass(report({ verdict: null, exit_name: "budget" }, { end: null, escalated: "money" }));
    assert.deepEqual(next, { kind: "leave", exitName: "budget", reason: "why" });
  });
});

describe("stops", () => {
  test("at the budget of the call or the day", () => {
    const next = afterPass(report({ verdict: null, exit_name: "budget" }, { end: null }));
    assert.deepEqual(next, { kind: "stop", exitName: "budget", reason: "why" });
  });

  for (const exitName of ["sigint", "sigterm", "sighup"] as const) {
    test(`at ${exitName}, before a model and after one`, () => {
      const stop = { kind: "stop", exitName, reason: "why" };
      const end = { kind: "interrupted", reason: "signal", cause: "signal" } as const;
      assert.deepEqual(afterPass(report({ verdict: "interrupted", exit_name: exitName }, { end })), stop);
      assert.deepEqual(afterPass(report({ verdict: null, exit_name: exitName }, { end: null })), stop);
    });
  }

  test("where a person aborted it, in a pass or before one", () => {
    const stop = { kind: "stop", exitName: "paused", reason: "why" };
    const end = { kind: "interrupted", reason: "ABORT", cause: "abort" } as const;
    assert.deepEqual(afterPass(report({ verdict: "interrupted", exit_name: "paused" }, { end })), stop);
    assert.deepEqual(afterPass(report({ verdict: null, exit_name: "paused" }, { end: null, aborted: true })), stop);
  });
});
