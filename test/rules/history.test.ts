import assert from "node:assert/strict";
import { test } from "node:test";
import { addEvent, readHistory } from "../../lib/rules/add-event.ts";
import type { Escalation, Ticket } from "../../lib/rules/decision.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { emptyHistory } from "../../lib/rules/history.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { stopOutsidePass } from "../../lib/rules/runner-stop.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { controlCommands } from "../../lib/rules/words.ts";
import { beforeEvent as beforeOf, check, checkRun, deepFreeze, failing, passStarted, verdictEvent } from "./arrange.ts";

const at = "2026-01-02T03:04:05Z";
const adopted: TaskEvent = { type: "adopted", at, phase: "intake", state: "s0", contract_sha256: "c1" };
const ticket: Ticket = { id: "validator:tests", source: "validator", name: "tests", text: "it fails" };
const protectedTicket: Ticket = { id: "protected:a", source: "protected", name: "a", text: "a is protected" };
const stop: Escalation = { cause: "stuck", to: "blocked", blockers: "Stopped by task-phase", question: null };

function verdict(from: Phase, to: Phase, overrides: Partial<VerdictEvent> = {}): VerdictEvent {
  const place = { state: `${from} to ${to}`, contract: "c1" };
  return verdictEvent(from, to, place, { at, model: "mine", reason: "", progress: [], ...overrides });
}

const started = (pass: number): TaskEvent => passStarted(pass, { at });
const failed = (from: Phase, signature: string, count: number, overrides: Partial<VerdictEvent> = {}) =>
  verdict(from, from, {
    verdict: signature === "no_progress" ? "no_progress" : "rejected",
    failure: { signature, count, passes: [] },
    ...overrides,
  });
const redirected = (count: number, from: Phase = "verify") =>
  verdict(from, "repair", {
    verdict: "redirected",
    failure: { signature: "redirected validator tests", count, passes: [] },
    tickets: [ticket],
    checks: checkRun([failing()]),
  });
const timedOut = verdict("implement", "implement", {
  verdict: "unavailable",
  end: { kind: "timed_out", timeout_ms: 1000 },
});
const resumed = (from: Phase, to: Phase): TaskEvent => ({
  type: "resumed",
  at,
  from,
  to,
  reason: "go on",
  state: "resumed",
});
const answered = (to: Phase): TaskEvent => ({
  type: "answered",
  at,
  from: "needs_user_decision",
  to,
  questions: ["Q1"],
  state: "answered",
});
const edited = (
  from: Phase,
  to: Phase,
  overrides: Partial<Extract<TaskEvent, { type: "state_edited" }>> = {},
): TaskEvent => ({
  type: "state_edited",
  at,
  from,
  to,
  reopened: false,
  tickets: [],
  overridden: [],
  features: [],
  state: "edited",
  ...overrides,
});

test("a task with no events has no history", () => {
  assert.deepEqual(readHistory([]), emptyHistory);
});

test("adopting a task gives phase, STATE.md and contract", () => {
  assert.deepEqual(readHistory([adopted]), { ...emptyHistory, phase: "intake", state: "s0", contractSha256: "c1" });
});

test("a pass that started is unfinished until its verdict", () => {
  const open = readHistory([adopted, started(4)]);
  assert.deepEqual(open, {
    ...emptyHistory,
    phase: "intake",
    state: "s0",
    contractSha256: "c1",
    lastPass: 4,
    started: { mine: 1 },
    startedModel: "mine",
    startedAt: at,
    unfinishedPass: 4,
  });
  const event = verdict("intake", "shape", { pass: 4 });
  assert.deepEqual(addEvent(open, event), {
    ...open,
    phase: "shape",
    state: "intake to shape",
    counts: { passes: 1, repairs: 0, failure: null, timeouts_in_row: 0 },
    spend: { ...open.spend, unknownPasses: 1, timeMs: 1, silent: ["mine"] },
    lastVerdict: event,
    unfinishedPass: null,
  });
});

test("the verdict of another pass does not finish the one that is open", () => {
  assert.equal(readHistory([started(2), verdict("intake", "shape", { pass: 1 })]).unfinishedPass, 2);
});

test("every verdict counts as a pass but unavailable and interrupted ones", () => {
  const verdicts = ["accepted", "redirected", "rejected", "no_progress", "unavailable", "interrupted"] as const;
  assert.equal(readHistory(verdicts.map((word) => verdict("verify", "verify", { verdict: word }))).counts.passes, 4);
});

test("known costs add up and an unknown one is never 0", () => {
  const cost = (cost_usd: number | null) => verdict("implement", "implement", { cost_usd });
  assert.equal(readHistory([cost(null)]).spend.knownUsd, null);
  const { spend } = readHistory([cost(0.5), cost(null), cost(0.25)]);
  assert.deepEqual([spend.knownUsd, spend.unknownPasses, spend.chargedUsd], [0.75, 1, 0.75]);
});

test("moves into repair count, staying there does not, nor a move that ended elsewhere", () => {
  const events = [
    redirected(1),
    verdict("repair", "repair"),
    verdict("repair", "verify"),
    verdict("review", "repair"),
    edited("verify", "repair"),
    verdict("verify", "blocked", { verdict: "redirected", escalation: stop }),
  ];
  assert.equal(readHistory(events).counts.repairs, 3);
});

test("the newest failure and its count are kept over unavailable and interrupted passes", () => {
  const events = [failed("verify", "rejected a", 2), timedOut, verdict("verify", "verify", { verdict: "interrupted" })];
  assert.deepEqual(readHistory(events).counts.failure, { signature: "rejected a", count: 2, passes: [] });
});

test("an accepted pass ends a row of failures", () => {
  assert.equal(
    readHistory([failed("implement", "no_progress", 2), verdict("implement", "verify")]).counts.failure,
    null,
  );
});

test("an accepted repair keeps the row of redirects that led to it", () => {
  const events = [redirected(1), verdict("repair", "repair"), verdict("repair", "verify")];
  assert.deepEqual(readHistory(events).counts.failure, {
    signature: "redirected validator tests",
    count: 1,
    passes: [],
  });
});

const row = { signature: "redirected validator tests", count: 2, passes: [] };

test("a row of redirects from review is kept over the repair and the verify that follow it", () => {
  const cycle = [
    redirected(2, "review"),
    verdict("repair", "repair"),
    verdict("repair", "verify"),
    verdict("verify", "verify"),
    verdict("verify", "review"),
    verdict("review", "review"),
  ];
  for (const [index] of cycle.entries()) {
    assert.deepEqual(readHistory(cycle.slice(0, index + 1)).counts.failure, row, `after ${index} accepted passes`);
  }
});

for (const [from, to] of [
  ["implement", "verify"],
  ["implement", "implement"],
  ["shape", "implement"],
  ["review", "done"],
] as const) {
  test(`an accepted ${from} → ${to} ends a row of redirects`, () => {
    assert.equal(readHistory([redirected(2, "review"), verdict(from, to)]).counts.failure, null);
  });
}

test("a different failure within the repair cycle begins a row of its own", () => {
  const other = failed("repair", "rejected tampered", 1);
  const events = [redirected(2, "review"), other, verdict("repair", "verify"), verdict("verify", "review")];
  assert.deepEqual(readHistory(events.slice(0, 2)).counts.failure, {
    signature: "rejected tampered",
    count: 1,
    passes: [],
  });
  assert.equal(readHistory(events).counts.failure, null);
});

for (const signature of ["no_progress", "rejected illegal_transition: x"]) {
  test(`an accepted repair ends a row of ${signature.split(" ")[0]}, since it is no longer in a row`, () => {
    assert.equal(readHistory([failed("repair", signature, 2), verdict("repair", "repair")]).counts.failure, null);
  });
}

test("timeouts count in a row: an interruption neither adds nor breaks, anything else breaks", () => {
  const interrupted = verdict("implement", "implement", {
    verdict: "interrupted",
    end: { kind: "interrupted", reason: "SIGTERM", cause: "signal" },
  });
  const limited = verdict("implement", "implement", {
    verdict: "unavailable",
    end: { kind: "limited", cause: "rate_limit", reason: "429", until: null },
  });
  assert.equal(readHistory([timedOut, interrupted, timedOut]).counts.timeouts_in_row, 2);
  assert.equal(readHistory([timedOut, timedOut, limited]).counts.timeouts_in_row, 0);
  assert.equal(readHistory([timedOut, verdict("implement", "implement"), timedOut]).counts.timeouts_in_row, 1);
  const waited = verdict("implement", "implement", {
    verdict: "unavailable",
    end: { kind: "timed_out", timeout_ms: 1000, silent: true },
    reasons: [{ category: "unavailable", code: "no_answer", text: "no sign of work" }],
  });
  assert.equal(readHistory([timedOut, waited, waited, waited, timedOut]).counts.timeouts_in_row, 2);
});

test("a redirect replaces the tickets, a rejected pass adds its own, an accepted verify → review closes all", () => {
  const rejected = failed("repair", "rejected tampered", 1, { tickets: [protectedTicket] });
  assert.deepEqual(readHistory([redirected(1)]).tickets, [ticket]);
  assert.deepEqual(readHistory([redirected(1), rejected, rejected]).tickets, [ticket, protectedTicket]);
  assert.deepEqual(readHistory([redirected(1), rejected, verdict("repair", "verify"), redirected(2)]).tickets, [
    ticket,
  ]);
  assert.deepEqual(readHistory([redirected(1), verdict("repair", "verify")]).tickets, [ticket]);
  assert.deepEqual(readHistory([redirected(1), verdict("verify", "review", { checks: checkRun() })]).tickets, []);
  assert.deepEqual(readHistory([redirected(1), edited("review", "repair", { tickets: [protectedTicket] })]).tickets, [
    protectedTicket,
  ]);
  assert.deepEqual(readHistory([redirected(1), edited("repair", "repair")]).tickets, [ticket]);
});

const verified = verdict("verify", "review", { checks: checkRun([check()], { fingerprint_after: "f9" }) });

test("the reviewed fingerprint is that of the accepted verify → review, while the task stays in review", () => {
  assert.equal(readHistory([verified]).reviewedFingerprint, "f9");
  assert.equal(readHistory([verified, failed("review", "rejected a", 1)]).reviewedFingerprint, "f9");
  assert.equal(readHistory([verified, redirected(1, "review")]).reviewedFingerprint, null);
  assert.equal(readHistory([verdict("verify", "review")]).reviewedFingerprint, null);
});

test("a question asked in review leads back to a review of the same code", () => {
  const asked = readHistory([verified, verdict("review", "needs_user_decision"), answered("review")]);
  assert.equal(asked.phase, "review");
  assert.equal(asked.reviewedFingerprint, "f9");
});

test("a person who sets review by hand stands for the checks that the gates looked at", () => {
  const checks = checkRun([check()], { fingerprint_after: "f8" });
  assert.equal(
    readHistory([failed("verify", "rejected a", 1, { checks }), edited("verify", "review")]).reviewedFingerprint,
    "f8",
  );
  assert.equal(readHistory([edited("verify", "review")]).reviewedFingerprint, null);
});

test("an edit of content in verify verifies nothing", () => {
  const checked = verdict("verify", "verify", { checks: checkRun() });
  const after = readHistory([adopted, checked, edited("verify", "verify")]);
  assert.deepEqual([after.checks, after.reviewedFingerprint], [checkRun(), null]);
});

test("passes are counted by the model that was started, whatever it is called, and by the run of the loop", () => {
  const start = (pass: number, model: string | null, run: string | null): TaskEvent =>
    ({ ...started(pass), model, run, at: `2026-01-0${pass}T00:00:00Z` }) as TaskEvent;
  const events = [
    start(1, "mine", "r1"),
    start(2, "constructor", "r1"),
    start(3, "mine", "r2"),
    start(4, "mine", null),
    start(5, null, "r2"),
  ];
  const runs = events.map((_, index) => readHistory([adopted, ...events.slice(0, index + 1)]).run);
  assert.deepEqual(readHistory([adopted, ...events]).started, { mine: 3, constructor: 1 });
  assert.deepEqual(runs, [
    { id: "r1", passes: 1, at: "2026-01-01T00:00:00Z" },
    { id: "r1", passes: 2, at: "2026-01-02T00:00:00Z" },
    { id: "r2", passes: 1, at: "2026-01-03T00:00:00Z" },
    { id: "r2", passes: 1, at: "2026-01-03T00:00:00Z" },
    { id: "r2", passes: 1, at: "2026-01-05T00:00:00Z" },
  ]);
});

test("RETRY ends a cancellation and a row of failures, and no other command changes anything", () => {
  const cancelled: TaskEvent = { type: "cancelled", at, state: null };
  const events = [adopted, failed("implement", "s", 2), timedOut, cancelled];
  const before = readHistory(events);
  for (const command of controlCommands) {
    const after = addEvent(before, { type: "controlled", at, command } as TaskEvent);
    const cleared = { ...before, cancelled: null, counts: { ...before.counts, failure: null, timeouts_in_row: 0 } };
    assert.deepEqual(after, command === "RETRY" ? cleared : before, command);
  }
  assert.deepEqual([before.cancelled, before.counts.failure?.count, before.counts.timeouts_in_row], [at, 2, 1]);
});

test("a repair that a person skipped is one of those that are allowed, and nothing else that was cut off is", () => {
  const cut = (from: Phase, to: Phase, cause: "skip" | "abort") =>
    verdict(from, to, { verdict: "interrupted", end: { kind: "interrupted", reason: "r", cause } });
  const repairs = (event: VerdictEvent) => readHistory([adopted, event]).counts.repairs;
  assert.deepEqual(
    [
      cut("repair", "repair", "skip"),
      cut("repair", "repair", "abort"),
      cut("implement", "implement", "skip"),
      cut("repair", "blocked", "skip"),
      verdict("repair", "repair"),
    ].map(repairs),
    [1, 0, 0, 0, 0],
  );
});

test("continuing a cancelled task where it was clears nothing; opening it elsewhere, or after a stop, does", () => {
  const counted = [adopted, resumed("intake", "implement"), failed("implement", "s", 2)];
  const cancelled: TaskEvent = { type: "cancelled", at, state: null };
  const failure = (...events: readonly TaskEvent[]) => readHistory([...counted, ...events]).counts.failure?.count ?? 0;
  assert.deepEqual(
    [
      failure(cancelled, resumed("implement", "implement")),
      failure(cancelled, resumed("implement", "shape")),
      failure(resumed("implement", "implement")),
      failure(
        { type: "escalated", at, from: "implement", state: "s", ...stop, to: "implement", open_questions: [] },
        cancelled,
        resumed("implement", "implement"),
      ),
      failure(
        verdict("implement", "blocked", { failure: { signature: "s", count: 3, passes: [] } }),
        cancelled,
        resumed("blocked", "blocked"),
      ),
    ],
    [2, 0, 0, 0, 0],
  );
  assert.equal(readHistory([...counted, cancelled, resumed("implement", "implement")]).cancelled, null);
});

test("an answer about tests replaces the ticket of the same change and leaves the others", () => {
  const about = (name: string, text: string): Ticket => ({ id: `watched:${name}`, source: "watched", name, text });
  const answer = (...tickets: readonly Ticket[]): TaskEvent =>
    ({ type: "watch_answered", at, accepted: false, changes: [], tickets }) as unknown as TaskEvent;
  const { tickets } = readHistory([adopted, answer(about("a", "old"), about("b", "b")), answer(about("a", "new"))]);
  assert.deepEqual(tickets, [about("b", "b"), about("a", "new")]);
});

test("the newest checks are kept until a person edits the brief", () => {
  const checks = checkRun();
  const changed: TaskEvent = {
    type: "brief_changed",
    at,
    was: "c1",
    contract_sha256: "c2",
    keys: null,
    state: "changed",
  };
  const kept = readHistory([adopted, verdict("verify", "verify", { checks }), verdict("verify", "verify")]);
  assert.deepEqual(kept.checks, checks);
  assert.deepEqual(addEvent(kept, changed), {
    ...kept,
    state: "changed",
    contractSha256: "c2",
    checked: [],
    checks: null,
    pinsStale: true,
    watchStale: true,
  });
});

test("pinning takes the digests and makes them fresh", () => {
  const stale = { ...emptyHistory, pinsStale: true };
  assert.deepEqual(addEvent(stale, { type: "pinned", at, protected: { a: "1" } }), {
    ...emptyHistory,
    pinned: { a: "1" },
  });
});

test("the checks before the work keep the status of each check by name", () => {
  const before = readHistory([beforeOf([check(), failing({ name: "lint" })])]).before;
  assert.deepEqual(
    [...(before ?? [])],
    [
      ["tests", "pass"],
      ["lint", "fail"],
    ],
  );
});

test("a refused edit and a recovery change nothing", () => {
  const refused: TaskEvent = { type: "edit_refused", at, from: "intake", to: "done", reason: "no", kept: "k" };
  const recovered: TaskEvent = { type: "recovered", at, pass: 1, restored: [], ended: 0 };
  assert.deepEqual(readHistory([adopted, refused, recovered]), readHistory([adopted]));
});

test("an escalation outside a pass moves the task and leaves the runner's Blockers", () => {
  const moved = readHistory([
    adopted,
    { ...stop, type: "escalated", at, from: "intake", state: "stopped", open_questions: [] },
  ]);
  assert.deepEqual(moved, {
    ...readHistory([adopted]),
    phase: "blocked",
    state: "stopped",
    stop: stopOutsidePass(stop),
    ownBlockers: stop.blockers,
    stoppedIn: "intake",
  });
});

test("the phase that asked is remembered, however long the question waits", () => {
  const events = [
    adopted,
    edited("intake", "shape"),
    verdict("shape", "needs_user_decision"),
    edited("needs_user_decision", "needs_user_decision"),
  ];
  assert.equal(readHistory(events).askedFrom, "shape");
});

const spent: readonly TaskEvent[] = [
  adopted,
  redirected(1),
  verdict("repair", "verify", { cost_usd: 2 }),
  timedOut,
  verdict("verify", "blocked", {
    verdict: "redirected",
    escalation: stop,
    failure: { signature: "redirected x", count: 3, passes: [] },
    checks: checkRun(),
  }),
];

test("a question counts from the pass at whose end it was first seen open, until it is no longer open", () => {
  const later = "2026-01-02T04:00:00Z";
  const first = verdict("shape", "shape", { open_questions: ["Q1"] });
  const both = verdict("shape", "shape", { at: later, open_questions: ["Q1", "Q2"] });
  assert.deepEqual(readHistory([adopted, first, both]).askedAt, { Q1: at, Q2: later });
  const closed = verdict("shape", "shape", { at: later, open_questions: [] });
  assert.deepEqual(readHistory([adopted, first, closed]).askedAt, {});
  assert.deepEqual(readHistory([adopted, first, closed, both]).askedAt, { Q1: later, Q2: later });
});

test("an open question holds a task that goes on in its phase, and no other", () => {
  const held = (to: Phase, more: Partial<VerdictEvent>) =>
    readHistory([adopted, verdict("implement", to, { open_questions: ["Q1"], ...more })]).held?.standing ?? null;
  assert.equal(held("implement", {}), "asks");
  assert.equal(held("repair", { verdict: "redirected" }), "asks");
  assert.equal(held("implement", { verdict: "rejected" }), null);
  assert.equal(held("needs_user_decision", {}), null);
  assert.equal(held("implement", { open_questions: [] }), null);
});

test("a stop outside a pass says which questions are open", () => {
  const first = verdict("review", "review", { open_questions: ["Q1"] });
  const escalated = {
    ...stop,
    type: "escalated",
    at: "2026-01-02T05:00:00Z",
    from: "review",
    state: "x",
    open_questions: [],
  } as const;
  const asking = { ...escalated, open_questions: ["Q2"] };
  assert.deepEqual(readHistory([adopted, first, asking]).askedAt, { Q2: "2026-01-02T05:00:00Z" });
});

test("a default moves the task and clears nothing, and is remembered", () => {
  const taken = { id: "Q1", taken: "UTF-8" };
  const before = [...spent.slice(0, 4), verdict("verify", "needs_user_decision", { failure: null })];
  const stopped = readHistory(before);
  const history = readHistory([
    ...before,
    { type: "defaulted", at, from: "needs_user_decision", to: "verify", questions: [taken, taken], state: "on" },
  ]);
  assert.deepEqual(history, { ...stopped, phase: "verify", state: "on", defaulted: ["Q1"] });
  assert.equal(history.counts.repairs, 1);
});

for (const [how, event] of [
  ["resume", resumed("blocked", "implement")],
  ["a person's edit", edited("blocked", "implement", { reopened: true })],
] as const) {
  test(`reopening by ${how} clears repairs, retries and the runner's Blockers; passes and money stay`, () => {
    const stopped = readHistory(spent);
    assert.deepEqual(stopped.counts, {
      passes: 3,
      repairs: 1,
      failure: { signature: "redirected x", count: 3, passes: [] },
      timeouts_in_row: 0,
    });
    const open = addEvent(stopped, event);
    assert.deepEqual(open, {
      ...stopped,
      phase: "implement",
      state: how === "resume" ? "resumed" : "edited",
      counts: { passes: 3, repairs: 0, failure: null, timeouts_in_row: 0 },
      reviewedFingerprint: null,
      checked: [],
      checks: null,
      stop: null,
    });
  });
}

test("an answer to a pass's own question buys no new repairs", () => {
  const asked = readHistory([redirected(1), verdict("repair", "needs_user_decision")]);
  assert.deepEqual(addEvent(asked, answered("repair")), { ...asked, phase: "repair", state: "answered" });
  assert.equal(asked.counts.repairs, 1);
});

test("an answer to the runner's own question is leave to try again", () => {
  const question = { ...stop, to: "needs_user_decision", question: "How?" } as const;
  const asked = readHistory([
    verified,
    redirected(1),
    verdict("review", "needs_user_decision", { verdict: "redirected", escalation: question }),
  ]);
  assert.deepEqual(addEvent(asked, answered("review")), {
    ...asked,
    phase: "review",
    state: "answered",
    counts: { ...asked.counts, repairs: 0, failure: null },
    checks: null,
    stop: null,
  });
});

test("folding events one by one gives the same as all at once and changes none of them", () => {
  const events = deepFreeze([...spent, resumed("blocked", "implement"), verified]);
  let history = deepFreeze({ ...emptyHistory });
  for (const event of events) history = deepFreeze(addEvent(history, event));
  assert.deepEqual(history, readHistory(events));
});

test("an accepted row of Visible features stays known, in whatever pass it is dropped, until a person takes it out", () => {
  const events: TaskEvent[] = [
    adopted,
    verdict("shape", "implement", { features: ["Export", "Import"] }),
    verdict("implement", "verify", { features: ["Import"] }),
    failed("verify", "rejected a", 1, { features: [] }),
  ];
  assert.deepEqual(readHistory(events).knownFeatures, ["Export", "Import"]);
  const edit = edited("verify", "verify", { features: ["Import", "Print"] });
  assert.deepEqual(readHistory([...events, edit]).knownFeatures, ["Import", "Print"]);
});

test("a new Evidence link changes the accepted STATE.md and nothing else", () => {
  const open = readHistory([adopted, verdict("intake", "shape")]);
  assert.deepEqual(addEvent(open, { type: "relinked", at, state: "linked" }), { ...open, state: "linked" });
});

const asked = {
  name: "a",
  kind: "test",
  change: "changed",
  detail: "",
  digest: "1",
  side: "checks",
  answer: null,
} as const;

test("the runner's question about tests and checks stands until a person answers, by digest", () => {
  const escalation = { cause: "watched", to: "needs_user_decision", blockers: "b", question: "q" } as const;
  const shown = { ...asked, name: "b", change: "added" } as const;
  const stopped = readHistory([
    adopted,
    {
      type: "watched",
      at,
      pass: 1,
      file: "artifacts/passes/0001/watched.json",
      sha256: "w",
      count: 2,
      origin: null,
      dependencies: null,
      held_out: {},
    },
    verdict("verify", "needs_user_decision", { verdict: "rejected", escalation, watched: [asked, shown] }),
  ]);
  assert.deepEqual(stopped.watch, { file: "artifacts/passes/0001/watched.json", sha256: "w" });
  assert.deepEqual(stopped.watchAsked, [asked]);
  const changes = [{ name: "a", digest: "1" }];
  const ticket = { id: "watched:a", source: "watched", name: "a", text: "put it back" } as const;
  const answer = { type: "watch_answered", at, question: "Q1", changes } as const;
  const refused = addEvent(stopped, { ...answer, accepted: false, tickets: [ticket] });
  assert.deepEqual(
    [refused.watchAsked, refused.watchAnswers, refused.tickets],
    [[], { accepted: [], refused: changes }, [ticket]],
  );
  const accepted = addEvent(refused, { ...answer, accepted: true, tickets: [] });
  assert.deepEqual(accepted.watchAnswers, { accepted: changes, refused: [] });
});

test("an edit of the brief may say that more is watched, until that is taken", () => {
  const taken: TaskEvent = {
    type: "watched",
    at,
    pass: 3,
    file: "f",
    sha256: "w",
    count: 2,
    origin: null,
    dependencies: null,
    held_out: {},
  };
  const stale = addEvent(emptyHistory, {
    type: "brief_changed",
    at,
    was: "a",
    contract_sha256: "b",
    keys: null,
    state: "s",
  });
  assert.deepEqual(
    [emptyHistory, stale, addEvent(stale, taken)].map(({ watchStale }) => watchStale),
    [false, true, false],
  );
});
