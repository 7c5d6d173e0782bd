import assert from "node:assert/strict";
import { test } from "node:test";
import { readState } from "../../lib/documents/read-state.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { emptyHistory, type TaskHistory } from "../../lib/rules/history.ts";
import { judgeEvent } from "../../lib/rules/judge-event.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { RunnerStop } from "../../lib/rules/runner-stop.ts";
import { at, stateFile, withFields } from "../cli/task-states.ts";
import { passStarted, verdictEvent } from "./arrange.ts";

const texts = new Map<Phase, string>();

function textOf(phase: Phase): string {
  const text = texts.get(phase) ?? stateFile({ phase });
  texts.set(phase, text);
  return text;
}

function viewOf(text: string) {
  const read = readState(Buffer.from(text), "STATE.md");
  return read.kind === "state" ? read.document.view : null;
}

/** What is said of an event of a task that stands in this phase. */
function judge(
  phase: Phase | null,
  event: TaskEvent,
  more: Partial<TaskHistory> = {},
  around: { previous?: TaskEvent; next?: TaskEvent } = {},
): string[] {
  const before = { ...emptyHistory, phase, state: phase === null ? null : textOf(phase), ...more };
  const place = { previous: around.previous ?? null, next: around.next ?? null, read: viewOf };
  return judgeEvent(event, { before, ...place, readPhase: (text) => viewOf(text)?.phase ?? null });
}

const place = (phase: Phase) => ({ state: textOf(phase), contract: "c", repo: "" });
const adopted = (phase: Phase): TaskEvent => ({
  type: "adopted",
  at,
  phase,
  state: textOf(phase),
  contract_sha256: "c",
});
const resumed = (from: Phase, to: Phase): TaskEvent => ({
  type: "resumed",
  at,
  from,
  to,
  reason: "r",
  state: textOf(to),
});
const escalated = (from: Phase, to: Phase): TaskEvent => ({
  type: "escalated",
  at,
  from,
  to,
  cause: "passes",
  blockers: "b",
  question: null,
  state: textOf(to),
  open_questions: [],
});
const edited = (from: Phase, to: Phase, state: string, reopened = false): TaskEvent => ({
  type: "state_edited",
  at,
  from,
  to,
  reopened,
  tickets: [],
  overridden: [],
  features: [],
  state,
});
const held: RunnerStop = { cause: "stuck", blockers: "stopped", question: null, happened: "stopped" };
const defaulted = (from: Phase, to: Phase): TaskEvent => ({
  ...{ type: "defaulted", at, from, to, questions: [], state: textOf(to) },
});
const started = (phase: Phase): TaskEvent => passStarted(1, { at, phase });

test("every event that a runner writes is legal", () => {
  const stopped = (from: Phase, to: Phase) => ({
    ...verdictEvent(from, to, place(to)),
    verdict: "rejected" as const,
    escalation: { cause: "stuck", to, blockers: "b", question: null } as const,
  });
  const said = [
    judge(null, adopted("intake")),
    judge(null, adopted("verify"), {}, { next: resumed("verify", "implement") }),
    judge("verify", resumed("verify", "implement"), {}, { previous: adopted("verify") }),
    judge("blocked", resumed("blocked", "review")),
    judge("intake", escalated("intake", "intake")),
    judge("implement", escalated("implement", "blocked")),
    judge("review", stopped("review", "needs_user_decision")),
    judge("verify", {
      ...verdictEvent("verify", "repair", place("repair")),
      verdict: "redirected",
      proposed: "review",
    }),
    judge("review", verdictEvent("review", "done", place("done"))),
    judge("shape", { type: "relinked", at, state: withFields(textOf("shape"), { "Evidence link": "x" }) }),
    judge(
      "needs_user_decision",
      {
        ...{ type: "defaulted", at, from: "needs_user_decision", to: "shape", questions: [], state: textOf("shape") },
      } as TaskEvent,
      { askedFrom: "shape" },
    ),
    judge(
      "needs_user_decision",
      { type: "answered", at, from: "needs_user_decision", to: "shape", questions: [], state: textOf("shape") },
      { askedFrom: "shape" },
    ),
    judge("shape", defaulted("shape", "shape")),
    judge("implement", started("implement")),
    judge("verify", { ...verdictEvent("verify", "verify", place("verify")), verdict: "rejected" }),
    judge("intake", resumed("intake", "intake"), { stop: held }),
    judge("implement", resumed("implement", "implement"), { cancelled: at }),
    judge("shape", edited("shape", "shape", textOf("shape")), { state: "no state" }),
    judge("shape", { type: "edit_refused", at, from: "shape", to: "done", reason: "r", kept: "k" }),
    judge("intake", edited("intake", "intake", withFields(textOf("intake"), { Blockers: "none" }), true), {
      stop: held,
    }),
  ];
  assert.deepEqual(
    said,
    said.map(() => []),
  );
});

test("a person's edit to repair holds with a finding, with what a reviewer blocked, or with what a person refused", () => {
  const [from, to] = ["verify", "repair"] as const;
  const event = edited(from, to, textOf(to));
  const finding = edited(from, to, stateFile({ phase: to, findings: ["it breaks"] }));
  const review = { problem: null, findings: [{ severity: "blocking", text: "no" }], role: "security" };
  assert.match(judge(from, event)[0] ?? "", /no finding says what to repair/);
  assert.deepEqual(judge(from, finding), []);
  assert.deepEqual(judge(from, event, { reviews: { security: review } } as unknown as Partial<TaskHistory>), []);
  const refused = { accepted: [], refused: [{ name: "a.test.js", digest: "d" }] };
  assert.deepEqual(judge(from, event, { watchAnswers: refused }), []);
});

test("an event that no runner writes is refused", () => {
  const stop = { cause: "stuck", to: "blocked", blockers: "b", question: null } as const;
  assert.deepEqual(
    [
      judge(null, resumed("intake", "shape"))[0],
      judge(null, adopted("done"))[0],
      judge("shape", resumed("shape", "review"))[0],
      judge("shape", { ...verdictEvent("shape", "implement", place("implement")), escalation: stop })[0],
      judge("done", verdictEvent("done", "review", place("review")))[0],
      judge("shape", { ...verdictEvent("shape", "repair", place("repair")), verdict: "redirected" })[0],
      judge("shape", verdictEvent("shape", "implement", { ...place("shape") }))[0],
      judge("shape", { type: "relinked", at, state: "# nothing\n" })[0],
      judge("blocked", escalated("blocked", "blocked"))[0],
      judge("shape", escalated("shape", "needs_user_decision"))[0],
      judge("review", { ...verdictEvent("review", "done", place("done")), proposed: "repair" })[0],
      judge("repair", { ...verdictEvent("repair", "repair", place("repair")), verdict: "redirected" })[0],
      judge("shape", adopted("intake"))[0],
      judge("shape", resumed("blocked", "shape"))[0],
      judge("shape", started("implement"))[0],
      judge("done", started("done"))[0],
      judge("needs_user_decision", defaulted("needs_user_decision", "shape"), { askedFrom: "verify" })[0],
      judge("needs_user_decision", defaulted("needs_user_decision", "shape"))[0],
      judge("shape", defaulted("shape", "verify"), { askedFrom: "verify" })[0],
      judge(
        "needs_user_decision",
        { ...defaulted("needs_user_decision", "shape"), type: "answered", questions: [] } as TaskEvent,
        { askedFrom: "verify" },
      )[0],
      judge("shape", { ...verdictEvent("shape", "implement", place("implement")), verdict: "rejected" })[0],
      judge("shape", {
        ...verdictEvent("shape", "shape", {
          ...place("shape"),
          state: withFields(textOf("shape"), { Objective: "x" }),
        }),
        verdict: "no_progress",
      })[0],
      judge("shape", edited("shape", "verify", textOf("verify")))[0],
      judge("shape", edited("shape", "shape", withFields(textOf("shape"), { Objective: "x" }), true))[0],
      judge("intake", edited("intake", "intake", withFields(textOf("intake"), { Objective: "x" }), true))[0],
      judge("intake", resumed("intake", "intake"))[0],
      judge("shape", { type: "relinked", at, state: textOf("verify") })[0],
    ],
    [
      "the journal does not begin with the event that adopted the task",
      "a task is adopted at intake, or by resume, which opens it immediately; this one was adopted at done",
      "shape → review: the task is not stopped: it is in shape",
      "it stops the task in blocked but moves it to implement",
      "no pass runs in done",
      "shape → repair: a redirect goes from verify or review to repair",
      "STATE.md is unchanged, but the event moves the task to implement",
      "the STATE.md that it accepts cannot be read",
      "blocked → blocked: the runner stops a task in blocked or needs_user_decision, if the table allows it from that phase",
      "shape → needs_user_decision: the runner stops a task in blocked or needs_user_decision, if the table allows it from that phase",
      "the pass proposed repair, but done was accepted",
      "repair → repair: a redirect goes from verify or review to repair",
      "a task is adopted once, by the first event",
      "it says that the task was in blocked, but the last accepted phase is shape",
      "a pass started in implement, but the task was in shape",
      "a pass started in done, but the task was in done",
      "needs_user_decision → shape: a default returns to the phase that asked, verify",
      "needs_user_decision → shape: a default returns to the phase that asked, none",
      "shape → verify: a default returns to the phase that asked, verify",
      "needs_user_decision → shape: an answer returns to the phase that asked, verify",
      "shape → implement: a verdict of rejected keeps the phase",
      "a verdict of no_progress keeps STATE.md, but this one changes it",
      "shape → verify: shape → verify is not allowed; from shape a pass may propose shape, implement, blocked, needs_user_decision",
      "it reopens the task, which was in shape and not stopped",
      "it reopens the task, which was in intake and not stopped",
      "intake → intake: the task is not stopped: it is in intake",
      "the STATE.md that it accepts says verify, but the event says shape",
    ],
  );
});

test("a claim is of the next pass in the phase of the task, and only what was claimed is released", () => {
  const runner = { worker: "w", host: null, attempt: "a", task_phase: "0", node: "v20" };
  const claimed = (phase: Phase, pass: number): TaskEvent => ({
    ...{ type: "claimed", at, pass, phase, model: "m", estimate_usd: null, reviewers: 1, timeout_ms: 1, runner },
  });
  const released = (pass: number): TaskEvent => ({ type: "released", at, pass });
  const held = { claimed: { pass: 1, attempt: "a", model: "m", reviewsUsd: null, reviewers: 1 } };
  assert.deepEqual([judge("review", claimed("review", 1)), judge("review", released(1), held)], [[], []]);
  assert.deepEqual(
    [
      judge("review", claimed("verify", 1)),
      judge("done", claimed("done", 1)),
      judge("review", claimed("review", 2)),
      judge("review", claimed("review", 1), { unfinishedPass: 1 }),
      judge("review", released(1)),
      judge("review", released(2), held),
    ].map((problems) => problems.length),
    [1, 1, 1, 1, 1, 1],
  );
});

test("the runner moves a task on without a model only where the frame is complete, and only in verify", () => {
  const advanced = (from: Phase, to: Phase, state = textOf(to), ok = true): TaskEvent => ({
    ...{ type: "advanced", at, from, to, state },
    gates: [{ gate: "A required validator is named", ok, detail: "tests" }],
  });
  assert.deepEqual(judge("intake", advanced("intake", "shape")), []);
  assert.deepEqual(judge("shape", advanced("shape", "implement")), []);
  const said = (phase: Phase, event: TaskEvent) => judge(phase, event).join("; ");
  assert.match(said("intake", advanced("intake", "implement")), /the runner makes no such move without a model/);
  assert.match(said("verify", advanced("verify", "review")), /the runner makes no such move without a model/);
  assert.match(
    said("shape", advanced("shape", "implement", textOf("implement"), false)),
    /A required validator is named/,
  );
  for (const [from, to, label] of [
    ["intake", "shape", "Objective"],
    ["shape", "implement", "Validation plan"],
  ] as const) {
    const empty = withFields(textOf(to), { [label]: "TBD" });
    assert.match(said(from, advanced(from, to, empty)), new RegExp(`does not hold: ${label} is filled`));
  }
  const alone = (from: Phase, to: Phase) => verdictEvent(from, to, place(to), { end: { kind: "no_model" } });
  assert.deepEqual(judge("verify", alone("verify", "review")), []);
  assert.match(said("review", alone("review", "done")), /a pass in review takes a model/);
  assert.deepEqual(judge("review", { ...alone("review", "review"), proposed: "review" } as TaskEvent), []);
});
