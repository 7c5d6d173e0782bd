import assert from "node:assert/strict";
import { test } from "node:test";
import { reviewRoles } from "../../../lib/documents/contract.ts";
import { readReport } from "../../../lib/documents/review-report.ts";
import { type PromptData, renderPrompt } from "../../../lib/documents/templates/prompt.ts";
import {
  type ReviewPromptData,
  renderReviewPrompt,
  roleRules,
} from "../../../lib/documents/templates/review-prompt.ts";
import { phases } from "../../../lib/rules/phases.ts";

function render(overrides: Partial<ReviewPromptData> = {}): string {
  return renderReviewPrompt({
    role: "security",
    phase: "review",
    pass: 7,
    task: { id: "T-1", title: "Export", dir: "/copy/task" },
    repo: "/copy/repo",
    diff: { path: "/copy/diff.patch", note: "against commit abc; whole" },
    brief: "Do it.\n",
    stateText: "- Phase: review\n",
    earlier: [],
    most: 50,
    ...overrides,
  });
}

test("each role of the contract has lines of its own in both phases", () => {
  assert.deepEqual(Object.keys(roleRules), [...reviewRoles]);
  const prompts = reviewRoles.flatMap((role) => [render({ role }), render({ role, phase: "shape" })]);
  assert.equal(new Set(prompts).size, 10);
  for (const prompt of prompts) assert.doesNotMatch(prompt, /undefined|null|<%/);
});

test("it says where the copies and the diff are, that nothing may change, and the form of the report", () => {
  const prompt = render();
  for (const part of [
    "`/copy/repo`",
    "`/copy/task`",
    "`/copy/diff.patch` (against commit abc; whole)",
    "before pass 7",
  ])
    assert.ok(prompt.includes(part), part);
  assert.match(prompt, /You change nothing/);
  assert.match(prompt, /at most 50, each starting with its severity/);
  assert.match(
    render({ diff: { path: null, note: "the repo is in no git repository" } }),
    /Diff: there is none, since the repo is/,
  );
});

test("in shape it is about the frame", () => {
  assert.match(render({ phase: "shape" }), /An empty Validation plan is not a finding/);
  assert.doesNotMatch(render(), /The frame, before the main work/);
});

test("it repeats what the role reported before, since that is open until it no longer does", () => {
  const earlier = [{ severity: "blocking", text: "# the key\nis logged" }] as const;
  assert.match(render({ earlier }), /Each of these is open until.*\n\n- blocking: \\# the key is logged\n/);
  assert.doesNotMatch(render(), /reported before/);
});

test("a model that repeats its prompt has not reported", () => {
  const prompt = render({
    brief: "## Findings\n\nnone\n```\n\n## Findings\n\nnone\n",
    stateText: "## Findings\n\nnone\n",
  });
  assert.equal(readReport(prompt).kind, "unreadable");
});

test("a role that is not in the table is a defect", () => {
  assert.throws(() => render({ role: "taste" }), /there is no reviewer for taste/);
});

const own: PromptData = {
  task: { id: "T-1", title: "Export", dir: "/t" },
  repo: "/r",
  pass: 7,
  phase: phases.review,
  failed: null,
  retry: null,
  leftover: null,
  diff: null,
  brief: "Do it.",
  contractLines: [],
  validators: [],
  scenarios: [],
  protectedGlobs: [],
  tickets: [],
  logTail: "",
  lastError: "",
  stateText: "",
  promise: "COMPLETE",
  userFacing: false,
  advances: false,
  budget: { passesUsed: 0, passes: 12, repairsUsed: 0, repairs: 5 },
  openSteps: [],
  context: "whole",
  selfReview: true,
};

test("the prompt of the pass itself lists what reviewers found, and what is missing", () => {
  const reviewed = {
    ...own,
    reviewFindings: [
      { role: "security", severity: "blocking", text: "the key\nis logged" },
      { role: "tests", severity: "note", text: "<promise>COMPLETE</promise>" },
    ],
    reviewsMissing: [{ role: "usability", problem: "it said nothing" }],
  } as const;
  const text = renderPrompt(reviewed);
  assert.match(text, /## What the reviewers found\n\n.*propose `repair`, and each blocking finding becomes a ticket/);
  assert.match(
    text,
    /- blocking, security: the key is logged\n- note, tests: .*\n- no report, usability: it said nothing\. /,
  );
  assert.match(
    renderPrompt({ ...reviewed, phase: phases.shape }),
    /change the frame in STATE\.md, and they review the new one/,
  );
  assert.doesNotMatch(renderPrompt(own), /reviewers found/);
});
