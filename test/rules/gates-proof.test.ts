import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../lib/rules/decide.ts";
import type { Facts, StepProof } from "../../lib/rules/facts.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { before, checkRun, facts, policy, proposal } from "./arrange.ts";

const chart = { text: "chart (artifacts/chart.png)", done: true };
const missing: StepProof = { text: chart.text, line: 4, path: "artifacts/chart.png", problem: "but it is not there" };
const there: StepProof = { ...missing, problem: null };

function judge(from: Phase, to: Phase, proofs: readonly StepProof[], steps: Partial<Facts["steps"]> = {}) {
  const seen = facts({
    checks: checkRun(),
    task_files_changed: ["STATE.md"],
    fingerprint: { before: from === "implement" ? "f0" : "f1", after: "f1", present: null },
    steps: { before: [{ ...chart, done: false }], after: [chart], ...steps },
    step_proofs: proofs,
  });
  const { verdict, reason, reasons, gates } = decide(before(from), proposal(to), seen, policy());
  return { verdict, reason, codes: reasons.map(({ code }) => code), gates: gates.map(({ gate }) => gate) };
}

test("a pass that ticks an item without the proof that it names is rejected with the item's line, wherever it goes", () => {
  for (const [from, to] of [
    ["implement", "implement"],
    ["implement", "verify"],
    ["verify", "review"],
    ["review", "done"],
  ] as const) {
    const told = judge(from, to, [missing]);
    assert.deepEqual([told.verdict, told.codes], ["rejected", ["steps_proven"]], `${from} → ${to}`);
    assert.match(told.reason, /TASKS\.md:4 is ticked and names artifacts\/chart\.png/);
  }
});

test("an item that was ticked before is judged only at done, and one with its proof passes", () => {
  const ticked = { before: [chart], after: [chart] };
  assert.equal(judge("implement", "verify", [missing], ticked).verdict, "accepted");
  assert.deepEqual(judge("review", "done", [missing], ticked).codes, ["steps_proven"]);
  assert.equal(judge("review", "done", [there], ticked).verdict, "accepted");
  const staying = judge("implement", "implement", [there]);
  assert.deepEqual([staying.verdict, staying.gates], ["accepted", []]);
});
