import assert from "node:assert/strict";
import { test } from "node:test";
import { buildEvidenceModel, sumTokens } from "../../../lib/pages/model/build-model.ts";
import { viewModel } from "../../../lib/pages/view/view.ts";
import type { ModelEnd } from "../../../lib/rules/model-end.ts";
import { passStarted, reported, verdictEvent } from "../../rules/arrange.ts";
import { code, reviewed } from "../full-task.ts";
import { briefChanged, events, print, sampleTask, stateView, verdict } from "../sample-task.ts";

test("the model says where the task stands, from the journal and not from STATE.md's own words", () => {
  const model = buildEvidenceModel(sampleTask({ events: events.slice(0, 3), state: stateView({ phase: "done" }) }));
  assert.equal(model.phase, "shape");
  assert.equal(model.standing.headline, "In shape: pass 2 was rejected");
});

test("checks, before, gates and tickets are the newest ones", () => {
  const model = buildEvidenceModel(sampleTask({ events: events.slice(0, 6) }));
  assert.deepEqual(
    {
      pass: model.checks?.pass,
      voided: model.checks?.voided,
      names: model.checks?.results.map((result) => `${result.name} ${result.status}`),
    },
    { pass: 4, voided: false, names: ["tests fail", "lint pass"] },
  );
  assert.deepEqual(
    model.before?.results.map((result) => result.name),
    ["tests", "lint"],
  );
  assert.equal(model.gates, null);
  assert.deepEqual(
    model.tickets.map((ticket) => ticket.id),
    ["validator:tests"],
  );
  const whole = buildEvidenceModel(sampleTask());
  assert.deepEqual(
    [whole.gates?.pass, whole.gates?.from, whole.gates?.proposed, whole.gates?.results.length],
    [6, "review", "done", 4],
  );
});

test("results of checks on earlier code are not shown as those of now", () => {
  const repaired = verdict(5, { fingerprint: { before: print("a"), after: print("c"), present: null } });
  const task = sampleTask({ events: [...events.slice(0, 6), repaired] });
  const { hero, compared } = viewModel(buildEvidenceModel(task), "", []);
  assert.match(hero.join(), /1 of 2 required checks passed in pass 4; the code has changed since/);
  assert.equal(compared[0]?.now.status, "fail in pass 4");
  const still = viewModel(buildEvidenceModel(sampleTask({ events: events.slice(0, 6) })), "", []);
  assert.match(still.hero.join(), /1 of 2 required checks pass,/);
  assert.equal(still.compared[0]?.now.status, "fail");
});

test("a change of the brief voids the checks before it", () => {
  assert.equal(buildEvidenceModel(sampleTask({ events: [...events, briefChanged] })).checks?.voided, true);
});

test("the cost of passes and reviewers is the sum of known amounts, and unknown ones are counted", () => {
  const model = buildEvidenceModel(sampleTask({ events: [...events, reviewed("tests", { cost_usd: null })] }));
  assert.deepEqual(
    { ...model.spend, costUsd: model.spend.costUsd?.toFixed(2) },
    { costUsd: "1.05", unknownCosts: 2, tokens: 123_020, unknownTokens: 0, durationMs: 375_000 },
  );
  assert.deepEqual(buildEvidenceModel(sampleTask({ events: [] })).spend, {
    costUsd: null,
    unknownCosts: 0,
    tokens: null,
    unknownTokens: 0,
    durationMs: 0,
  });
});

test("the code is that of the newest verdict that names it", () => {
  const other = { ...code, branch: "other" };
  const some = [verdict(1, { code }), verdict(2, { code: other }), verdict(3)];
  const model = buildEvidenceModel(sampleTask({ events: some }));
  assert.deepEqual(model.code, { ...other, pass: 2, changedBy: null });
  assert.equal(buildEvidenceModel(sampleTask()).code, null);
});

test("uncommitted changes on the code are those of the newest pass that changed any on that commit", () => {
  const changed = { code, changed_paths: [{ path: "a.js", change: "changed" as const }] };
  const some = [verdict(1, changed), verdict(2, changed), verdict(3, { code, changed_paths: [] })];
  assert.equal(buildEvidenceModel(sampleTask({ events: some })).code?.changedBy, 2);
  const moved = { ...code, commit: "f".repeat(40) };
  const later = [...some, verdict(4, { code: moved, changed_paths: [] })];
  assert.equal(buildEvidenceModel(sampleTask({ events: later })).code?.changedBy, null);
});

test("a field reads as its Markdown does, and its code as it was typed", () => {
  const state = stateView({}, { done_gate: "a &lt; b &amp;&amp; \\*c\\*, and `x &amp; y`" });
  const { fields } = buildEvidenceModel(sampleTask({ state }));
  assert.deepEqual(fields, [{ label: "Done gate", value: "a < b && *c*, and `x &amp; y`" }]);
});

test("only fields that say something, the agent's files and each changed path once are listed", () => {
  const again = verdict(7, {
    changed_paths: [
      { path: "src/export.js", change: "changed" },
      { path: "a.js", change: "added" },
    ],
  });
  const model = buildEvidenceModel(sampleTask({ events: [...events, again] }));
  assert.deepEqual(
    model.fields.map((field) => field.label),
    ["Objective", "Done gate", "Not doing", "Current result", "Blockers"],
  );
  assert.deepEqual(
    model.artifacts.map((row) => row.path),
    ["artifacts/export-10k.txt", "artifacts/memory use.csv"],
  );
  assert.deepEqual(model.changedPaths, ["a.js", "src/export.js", "test/export.test.js"]);
});

test("a task without a journal and without a state has a model too", () => {
  const model = buildEvidenceModel(sampleTask({ events: [], state: null, head: null, artifacts: [] }));
  assert.deepEqual([model.phase, model.checks, model.before, model.gates], [null, null, null, null]);
  assert.deepEqual(
    [model.fields, model.features, model.passes, model.tickets, model.edits, model.changedPaths],
    [[], [], [], [], [], []],
  );
  assert.deepEqual(
    [model.compared, model.watched, model.reviews, model.questions, model.watchedAt, model.code],
    [[], [], [], [], null, null],
  );
  assert.deepEqual(model.journal, { events: 0, head: null, lastAt: null });
  assert.equal(buildEvidenceModel(sampleTask({ events: [], state: stateView({ phase: "verify" }) })).phase, "verify");
});

test("equal journals give equal models", () => {
  assert.deepEqual(buildEvidenceModel(sampleTask()), buildEvidenceModel(structuredClone(sampleTask())));
});

const exited: ModelEnd = { kind: "exited", exit_code: 0, signal: null, result_event: true };
const reporting = (input: number | null, output: number | null, end: ModelEnd = exited) =>
  verdictEvent("implement", "implement", { state: "", contract: "" }, { tokens: { input, output }, end });

test("the tokens of passes and reviews are added up, as far as they are known", () => {
  const review = reported({ tokens: { input: 5, output: 1 }, end: exited });
  assert.deepEqual(sumTokens([passStarted(1), reporting(10, 2), review, reporting(3, null)]), {
    ...{ tokens: 21, unknownTokens: 0 },
  });
});

test("nothing said is something else than nothing used, and only a call that may have used some is counted", () => {
  assert.deepEqual(sumTokens([]), { tokens: null, unknownTokens: 0 });
  assert.deepEqual(sumTokens([reporting(null, null), reporting(0, 0)]), { tokens: 0, unknownTokens: 1 });
  const unstarted: ModelEnd = { kind: "not_started", reason: "gone" };
  assert.deepEqual(sumTokens([reporting(null, null, unstarted)]), { tokens: null, unknownTokens: 0 });
});
