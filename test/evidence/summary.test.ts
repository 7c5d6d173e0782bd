import assert from "node:assert/strict";
import { test } from "node:test";
import { buildEvidenceModel } from "../../lib/evidence/evidence-model.ts";
import { renderSummary } from "../../lib/evidence/summary.ts";
import { sampleTask } from "./sample-task.ts";

test("the report says what was wanted, what proves it, what changed and what it took", () => {
  const text = renderSummary(buildEvidenceModel(sampleTask()));
  assert.deepEqual(text.match(/^##? .*/gm), [
    "# Report: T-123, Stream the CSV export",
    "## What was wanted, and what is there",
    "## Proof",
    "## What a user sees",
    "## What changed in the repo",
    "## What it took",
  ]);
  assert.match(
    text,
    /\| tests \(validator\) \| pass \| fixed \| \[log\]\(artifacts\/passes\/0006\/validators\/tests\.log\) \|/,
  );
  assert.deepEqual(text.split("## What it took\n\n")[1]?.split("\n").slice(0, 5), [
    "- Passes: 6, of which not accepted: 2",
    "- Repairs: 1",
    "- Time in passes: 6m6s",
    "- Cost: $1.05, and 1 pass not known",
    "- Edits by people: 2",
  ]);
});

test("a report without checks, paths and artifacts says so", () => {
  const text = renderSummary(buildEvidenceModel(sampleTask({ events: [], artifacts: [], userFacing: false })));
  assert.match(text, /No check is recorded\.[\s\S]*No changed path is recorded\./);
  assert.match(text, /- Time in passes: not known\n- Cost: not known/);
});
