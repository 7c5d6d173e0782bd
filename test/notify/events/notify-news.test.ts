import assert from "node:assert/strict";
import { test } from "node:test";
import { findNews } from "../../../lib/notify/events/notify-news.ts";
import type { Escalation } from "../../../lib/rules/decision.ts";
import type { ControlCommand, TaskEvent } from "../../../lib/rules/events.ts";
import type { VerdictEvent } from "../../../lib/rules/verdict-event.ts";

const at = "2026-11-21T10:00:00.000Z";
const later = "2026-11-21T10:05:00.000Z";

const report = {
  reason: "as the report says",
  exit_name: "ok",
  from: "shape",
  to: "shape",
  pass: 3,
  model: "mine",
  cost_usd: 0.5,
  verdict: "accepted",
} as const;

const escalation: Escalation = { cause: "stuck", to: "blocked", blockers: "Stopped.", question: null };

function verdict(parts: Partial<VerdictEvent>): VerdictEvent {
  return {
    type: "verdict",
    at,
    pass: 3,
    model: "mine",
    from: "implement",
    to: "implement",
    verdict: "accepted",
    reason: "as the event says",
    escalation: null,
    open_questions: [],
    end: { kind: "exited", exit_code: 0, signal: null, result_event: true },
    cost_usd: 0.5,
    ...parts,
  } as VerdictEvent;
}

const escalated = (to: Escalation["to"], from = to): TaskEvent => ({
  type: "escalated",
  at,
  from,
  state: "",
  open_questions: [],
  ...escalation,
  to,
});
const controlled = (command: ControlCommand): TaskEvent => ({ type: "controlled", at, command, detail: "seen" });
const tell = (...events: readonly TaskEvent[]) => findNews(events, report)?.event ?? null;

test("a verdict that moves the task to where no model works is news, and no other move is", () => {
  assert.deepEqual(
    (["done", "blocked", "needs_user_decision", "implement", "verify", "repair"] as const).map((to) =>
      tell(verdict({ to })),
    ),
    ["task.done", "task.blocked", "task.needs_user_decision", null, null, null],
  );
  assert.equal(tell(verdict({ verdict: "rejected" }), verdict({ verdict: "unavailable" })), null);
});

test("the runner's own stop is news, in a pass or outside one, also where intake keeps its phase", () => {
  assert.equal(tell(verdict({ verdict: "no_progress", to: "blocked", escalation })), "task.blocked");
  const decide = { ...escalation, to: "needs_user_decision" as const };
  assert.equal(tell(verdict({ to: "needs_user_decision", escalation: decide })), "task.needs_user_decision");
  assert.equal(tell(verdict({ from: "intake", to: "intake", escalation })), "task.blocked");
  assert.deepEqual(
    [tell(escalated("blocked", "verify")), tell(escalated("needs_user_decision", "review")), tell(escalated("intake"))],
    ["task.blocked", "task.needs_user_decision", "task.blocked"],
  );
});

test("a person's acts are no news, nor is anything else in a journal", () => {
  const state = { at, from: "implement", to: "blocked", state: "" } as const;
  assert.equal(
    tell(
      { type: "state_edited", reopened: false, tickets: [], overridden: [], features: [], ...state },
      { type: "resumed", reason: "r", ...state },
      { type: "answered", questions: ["Q1"], ...state },
      { type: "recovered", at, pass: 2, restored: [], ended: 0 },
    ),
    null,
  );
  assert.equal(tell(), null);
});

test("PAUSE and ABORT are announced when they are first obeyed; the other commands are not", () => {
  assert.deepEqual(
    (["PAUSE", "ABORT", "SKIP", "STATUS", "RETRY"] as const).map((word) => tell(controlled(word))),
    ["task.paused", "task.paused", null, null, null],
  );
  assert.equal(
    tell(verdict({ verdict: "interrupted", end: { kind: "interrupted", reason: "r", cause: "abort" } })),
    "task.paused",
  );
  for (const end of [
    { kind: "interrupted", reason: "r", cause: "signal" },
    { kind: "interrupted", reason: "r", cause: "skip" },
    { kind: "interrupted", reason: "r", cause: "signal" },
  ] as const) {
    assert.equal(tell(verdict({ verdict: "interrupted", end })), null);
  }
});

test("a pause has the reason of the call that ended with it, else the command's own", () => {
  assert.equal(findNews([controlled("PAUSE")], report)?.reason, "PAUSE: seen");
  const paused = { ...report, exit_name: "paused", pass: null, verdict: null } as const;
  assert.deepEqual(findNews([controlled("PAUSE")], paused), {
    event: "task.paused",
    at,
    from: "shape",
    to: "shape",
    verdict: null,
    reason: "as the report says",
    pass: null,
    model: "mine",
    costUsd: 0.5,
    questions: [],
  });
});

test("a question that appeared in a pass is news, also where the phase stays", () => {
  assert.deepEqual(findNews([verdict({ open_questions: ["Q1"] })], report), {
    event: "task.needs_user_decision",
    at,
    from: "implement",
    to: "implement",
    verdict: "accepted",
    reason: "as the report says",
    pass: 3,
    model: "mine",
    costUsd: 0.5,
    questions: ["Q1"],
  });
});

test("the open questions are those after the last verdict or stop of the call", () => {
  const asks = verdict({ open_questions: ["Q1"] });
  const stops: TaskEvent = {
    ...escalation,
    type: "escalated",
    at,
    from: "review",
    state: "",
    open_questions: ["Q1", "Q2"],
  };
  assert.deepEqual(
    [
      findNews([asks, controlled("PAUSE")], report)?.questions,
      findNews([asks, stops], report)?.questions,
      findNews([escalated("blocked", "verify")], report)?.questions,
      findNews([controlled("ABORT")], report)?.questions,
    ],
    [["Q1"], ["Q1", "Q2"], [], []],
  );
});

test("a move goes before a pause, a pause before a question, and the later of two before the earlier", () => {
  const asks = verdict({ open_questions: ["Q1"] });
  assert.equal(tell(verdict({ to: "done" }), controlled("PAUSE")), "task.done");
  assert.equal(tell(controlled("PAUSE"), asks), "task.paused");
  assert.equal(findNews([escalated("blocked", "verify"), verdict({ at: later, to: "done" })], report)?.at, later);
});

test("a pass that this call only recovered is announced with its own reason, not with that of the call", () => {
  const recovered = verdict({ pass: 2, open_questions: ["Q1"] });
  const news = findNews([recovered], { ...report, pass: null });
  assert.deepEqual([news?.pass, news?.reason], [2, "as the event says"]);
});
