import assert from "node:assert/strict";
import { test } from "node:test";
import { renderSummary } from "../../../lib/evidence/markdown/summary.ts";
import { buildEvidenceModel } from "../../../lib/evidence/model/build-model.ts";
import type { TaskEvent } from "../../../lib/machine/events.ts";
import { change, code, commit, fullTask, reviewed } from "../full-task.ts";
import { sampleTask, verdict } from "../sample-task.ts";

/** The lines on what stands behind the result, between the checks and the artifacts. */
const behind = (events: readonly TaskEvent[]) =>
  renderSummary(buildEvidenceModel(sampleTask({ events, artifacts: [] })))
    .split("## Proof\n")[1]
    ?.split("\n## ")[0]
    ?.match(/^- .*/gm);

test("the report says what was wanted, what proves it, what changed and what it took", () => {
  const text = renderSummary(buildEvidenceModel(sampleTask()));
  assert.deepEqual(text.match(/^##? .*/gm), [
    "# Report: T-123, Stream the CSV export",
    "## What was wanted, and what was done",
    "## Proof",
    "## What a user sees",
    "## What changed in the repo",
    "## What it took",
  ]);
  assert.match(
    text,
    /\| tests \(validator\) \| pass \| fixed \| \[log\]\(artifacts\/passes\/0006\/validators\/tests\.log\) \|/,
  );
  assert.deepEqual(text.split("## What it took\n\n")[1]?.split("\n").slice(0, 6), [
    "- Passes: 6, of which not accepted: 2",
    "- Repairs: 1",
    "- Time in passes: 6m6s",
    "- Cost: $1.05, and 1 call not known",
    "- Tokens: 122.0k",
    "- Edits by people: 2",
  ]);
});

test("a report without checks, paths and artifacts says so", () => {
  const text = renderSummary(buildEvidenceModel(sampleTask({ events: [], artifacts: [], userFacing: false })));
  assert.match(text, /No check is recorded\.[\s\S]*No changed path is recorded\./);
  assert.match(text, /- Time in passes: not known\n- Cost: not known\n- Tokens: not known/);
});

test("what stands behind the result is told in a few lines, and nothing where nothing does", () => {
  const text = renderSummary(buildEvidenceModel(fullTask()));
  assert.match(
    text,
    new RegExp(
      [
        `- Code: \\[0f1e2d3c4b5a\\]\\(https://git.example/shop/app/commit/${commit}\\) on \`feature/csv\`, .*`,
        "- Tests and checks that a person accepted changes of: package.json&#35;scripts.test \\(changed\\)",
        "- \\*\\*Changes of tests or checks that no person accepted: 2\\*\\*",
        "- Reviews: \\[security\\]\\(.*\\): 1 blocking, 1 minor; \\[tests\\].*; \\[usability\\]\\(.*\\) \\(of an earlier state\\): 1 blocking",
        "- Edits of the brief by a person: 1, the last on 2026-11-21 10:06:00 UTC \\(validators, text\\); the checks ran after it",
      ].join("\n"),
    ),
  );
  assert.equal(behind([verdict(1)]), null);
});

test("tests and checks are told as those of pass 1, as harmless changes, or with the names that a person accepted", () => {
  const told = (...watched: readonly ReturnType<typeof change>[]) => behind([verdict(1, { watched })]);
  assert.deepEqual(told(), ["- Tests and checks: those of pass 1"]);
  assert.deepEqual(told(change({ change: "added" })), [
    "- Tests and checks: 1 change, none of which could hide a failure",
  ]);
  const accepted = Array.from({ length: 12 }, (_, index) => change({ name: `a${index}.js`, answer: "accepted" }));
  const names = accepted.slice(0, 10).map(({ name }) => `${name} (weakened)`);
  assert.deepEqual(told(...accepted), [
    `- Tests and checks that a person accepted changes of: ${names.join(", ")}, and 2 more`,
  ]);
});

test("where the brief says to show only, the report names what could hide a failure in neutral words", () => {
  const told = (...watched: readonly ReturnType<typeof change>[]) =>
    behind([verdict(1, { watched, tests_changed: "show" })]);
  assert.deepEqual(told(change(), change({ name: "b.js", change: "added" })), [
    "- Changes of tests or checks that could hide a failure, only shown: the brief sets tests_changed: show: test/export.test.js (weakened)",
  ]);
  assert.deepEqual(told(change({ change: "added" })), [
    "- Tests and checks: 1 change, none of which could hide a failure",
  ]);
});

test("a code without a host and a review without findings have a line each", () => {
  assert.deepEqual(
    behind([reviewed("tests"), verdict(7, { code: { ...code, web: null, dirty: false, pushed: null } })]),
    [
      "- Code: 0f1e2d3c4b5a on `feature/csv`",
      "- Reviews: [tests](artifacts/passes/0007/reviews/tests.md): no findings",
    ],
  );
});
