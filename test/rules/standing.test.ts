import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyHistory } from "../../lib/rules/history.ts";
import type { RunnerStop } from "../../lib/rules/runner-stop.ts";
import { isRunnable, renderAsk, standingOf, statusOf } from "../../lib/rules/standing.ts";
import { nothingElse, type OpenAsk, type StandingFacts, standings } from "../../lib/rules/standing-facts.ts";
import { events, verdict } from "../pages/sample-task.ts";

const until = "2026-01-02T10:00:00.000Z";
const later = "2026-01-03T00:00:00.000Z";
const stuck: RunnerStop = {
  cause: "stuck",
  blockers: "Stopped by task-phase: long. What a person can do: much.",
  question: null,
  happened: "tests fails the same way 3 times",
};
const spent: RunnerStop = { ...stuck, cause: "passes", happened: "all 12 passes are spent" };
const ask: OpenAsk = {
  id: "Q1",
  title: "Which encoding?",
  question: "UTF-8 or Latin-1?",
  options: "",
  safeDefault: "",
  ofStop: false,
  place: "DECISIONS.md:3",
  end: "it waits for a person",
  takenFrom: null,
  due: false,
};

type Change = Partial<Omit<StandingFacts, "history">> & { readonly history?: Partial<StandingFacts["history"]> };

function stand({ history, ...change }: Change = {}) {
  return standingOf({
    ...{ ...nothingElse, phase: "implement", blockers: "none" },
    ...change,
    history: { ...emptyHistory, ...history },
  });
}

/** Standing, who acts, tone, until. */
function shape(change: Change = {}): string {
  const { standing, who, tone, until: time } = stand(change);
  return [standing, who, tone, ...(time === null ? [] : [time])].join(" ");
}

test("each fact of a task has its standing, with who must act and the tone", () => {
  const decision = { phase: "needs_user_decision" } as const;
  const cases: readonly (readonly [string, Change])[] = [
    ["runnable runner working", {}],
    ["running runner working", { locked: true, phase: "done" }],
    ["runnable runner working", { cutOff: true, unreadable: "no list" }],
    ["unreadable person stopped", { unreadable: "no list", phase: null }],
    ["waits person stopped", { wrong: "a circle: A → B → A" }],
    ["waits tasks quiet", { waitsFor: ["T-2"] }],
    ["runnable runner working", { edited: true, phase: "blocked" }],
    ["blocked person stopped", { phase: "blocked", blockers: "The database is down." }],
    ["blocked person stopped", { phase: "blocked", history: { stop: spent } }],
    ["stuck person stopped", { phase: "blocked", history: { stop: stuck } }],
    ["runnable runner working", { phase: "blocked", retry: true, history: { stop: stuck } }],
    ["runnable runner working", { phase: "intake", retry: true, blockers: "x", history: { stop: stuck } }],
    ["runnable runner working", { ...decision, retry: true, questions: [{ ...ask, ofStop: true }] }],
    ["asks person asking", { ...decision, retry: true, questions: [ask] }],
    ["asks person asking", { ...decision, retry: true, questions: [ask, { ...ask, ofStop: true }] }],
    ["runnable runner working", { retry: true, history: { cancelled: later } }],
    ["done person stopped", { phase: "done", retry: true, history: { cancelled: later } }],
    ["stuck person stopped", { phase: "intake", blockers: stuck.blockers, history: { stop: stuck } }],
    ["runnable runner working", { phase: "intake", history: { stop: stuck } }],
    ["stuck person stopped", { ...decision, questions: [ask], history: { stop: stuck } }],
    ["stuck person stopped", { ...decision, history: { stop: { ...stuck, cause: "no_progress" } } }],
    ["asks person asking", { ...decision, questions: [ask], history: { stop: spent } }],
    ["asks person asking", decision],
    ["runnable runner working", { ...decision, answered: true, history: { stop: stuck, askedFrom: "shape" } }],
    ["asks person asking", { questions: [ask] }],
    [`asks person asking ${until}`, { questions: [ask, { ...ask, takenFrom: until }] }],
    ["runnable runner working", { questions: [ask, { ...ask, takenFrom: until, due: true }] }],
    ["paused person quiet", { paused: "line 1 of CONTROL.md says PAUSE", waitsFor: ["T-2"] }],
    ["cancelled person quiet", { history: { cancelled: until }, edited: true, questions: [ask] }],
    [`cooling runner working ${until}`, { coolingUntil: until }],
    [`cooling runner working ${later}`, { coolingUntil: until, hindered: { why: "spent", until: later } }],
    [`runnable runner working ${until}`, { edited: true, coolingUntil: until }],
    ["refused person stopped", { hindered: { why: "no model is configured", until: null } }],
    ["done person stopped", { phase: "done" }],
    ["done nobody amber", { phase: "done", wrong: "a circle", history: { lastVerdict: proven(), cancelled: until } }],
  ];
  for (const [expected, change] of cases) assert.equal(shape(change), expected, JSON.stringify(change));
  const seen = new Set(cases.map(([expected]) => expected.split(" ")[0]));
  assert.deepEqual(
    standings.filter((standing) => !seen.has(standing)),
    [],
  );
});

function proven() {
  return events.findLast((event) => event.type === "verdict") ?? assert.fail();
}

test("Status says the standing and why in a few words", () => {
  const status = (change: Change) => statusOf(stand(change));
  const decision = { phase: "needs_user_decision" } as const;
  assert.deepEqual(
    [
      status({ phase: "blocked", history: { stop: stuck } }),
      status({ phase: "blocked", blockers: "The database\nis down." }),
      status({ ...decision, questions: [ask, { ...ask, id: "Q2" }] }),
      status({ ...decision, questions: [{ ...ask, title: "" }] }),
      status({ ...decision, questions: [{ ...ask, title: "Go on?", ofStop: true }], history: { stop: spent } }),
      status({ ...decision, questions: [ask], history: { stop: stuck } }),
      status({ phase: "done", history: { lastVerdict: proof() } }),
    ],
    [
      "stuck: tests fails the same way 3 times",
      "blocked: The database is down.",
      "asks: Q1 Which encoding? and 1 more",
      "asks: Q1 UTF-8 or Latin-1?",
      "asks: Q1 all 12 passes are spent. Go on?",
      "stuck: tests fails the same way 3 times",
      "done: 2 checks pass; without this work, 1 of them fails",
    ],
  );
});

function proof() {
  return {
    ...proven(),
    proof: {
      grade: "shown",
      passed: 2,
      failing: ["tests"],
      only_own: false,
      wrong: null,
      reason: null,
      looked: [],
    } as const,
  };
}

test("only a task that is next calls a model, and a run can do something with one that is runnable or cools down", () => {
  const calls = (change: Change) => stand(change).callsModel;
  assert.deepEqual(
    [
      calls({}),
      calls({ coolingUntil: until }),
      calls({ edited: true }),
      calls({ cutOff: true }),
      calls({ locked: true }),
    ],
    [true, true, false, false, false],
  );
  assert.deepEqual(
    standings.filter((standing) => isRunnable({ standing })),
    ["refused", "runnable", "cooling"],
  );
});

test("a question of the runner's stop is shown with its cause, and one of the task without", () => {
  const told = (question: Partial<OpenAsk>, stop: RunnerStop | null) =>
    renderAsk({ ...ask, end: "", ...question }, stop);
  assert.deepEqual(
    [told({ ofStop: true }, spent), told({ ofStop: true }, null), told({}, spent)],
    [
      "Q1 all 12 passes are spent. Which encoding? (DECISIONS.md:3)",
      "Q1 Which encoding? (DECISIONS.md:3)",
      "Q1 Which encoding? (DECISIONS.md:3)",
    ],
  );
});

test("why names the place of a question, what hinders, and what moved since done", () => {
  assert.deepEqual(
    [
      stand({ questions: [ask] }).why,
      stand({ phase: "needs_user_decision", questions: [ask], history: { stop: stuck } }).why,
      stand({ coolingUntil: until, hindered: { why: "no model is configured", until: null } }).why,
      stand({ phase: "done", moved: { kind: "paths", count: 3 }, history: { lastVerdict: proof() } }).why,
      stand({ phase: "done", briefEdited: true, history: { lastVerdict: proof() } }).why,
      stand({ phase: "done", moved: { kind: "unknown", reason: "R" }, history: { lastVerdict: proof() } }).why,
      stand({ phase: "done", history: { lastVerdict: verdict(1, { to: "done" }) } }).why,
    ],
    [
      "Q1 Which encoding? (DECISIONS.md:3; it waits for a person)",
      "tests fails the same way 3 times; open: Q1 (DECISIONS.md:3)",
      "no model is configured",
      "moved since: 3 paths; 2 checks pass; without this work, 1 of them fails",
      "the brief was edited since; 2 checks pass; without this work, 1 of them fails",
      "moved since (R); 2 checks pass; without this work, 1 of them fails",
      "no proof is recorded",
    ],
  );
});
