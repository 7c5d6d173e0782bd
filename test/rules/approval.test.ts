import assert from "node:assert/strict";
import { test } from "node:test";
import { readHistory } from "../../lib/rules/add-event.ts";
import { type FrameAnswer, frameOf } from "../../lib/rules/approval.ts";
import { decide } from "../../lib/rules/decide.ts";
import { judgeEvent } from "../../lib/rules/judge-event.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { FieldValues } from "../../lib/rules/state-view.ts";
import { before, facts, policy, proposal, stateAt } from "./arrange.ts";

const frame = frameOf(stateAt("implement"));
const approved: FrameAnswer = { frame, approved: true, said: "approve", question: "Q1" };
const refused: FrameAnswer = { ...approved, approved: false, said: "no Latin-1", question: "Q2" };

function judge(to: Phase, approvals: readonly FrameAnswer[], fields: Partial<FieldValues> = {}, asks = true) {
  const seen = facts({ task_files_changed: ["STATE.md"], ...(approvals.length === 0 ? {} : { approvals }) });
  const rules = policy(asks ? { approve: ["shape"] } : {});
  const decision = decide(before("shape"), proposal(to, fields), seen, rules);
  return [decision.verdict, decision.to, decision.escalation?.cause ?? null, decision.reasons.map(({ code }) => code)];
}

const asked = ["accepted", "needs_user_decision", "approve", []];

test("a person is asked before implement, with the proposal taken as it is", () => {
  assert.deepEqual(judge("implement", []), asked);
  const seen = facts({ task_files_changed: ["STATE.md"] });
  const decision = decide(before("shape"), proposal("implement"), seen, policy({ approve: ["shape"] }));
  assert.deepEqual([decision.frame, decision.exit_name], [frame, "needs_user_decision"]);
  assert.match(decision.escalation?.question ?? "", /answer `approve`/);
});

test("an approval lets exactly that frame through, and a frame with other words asks again", () => {
  assert.deepEqual(judge("implement", [approved]), ["accepted", "implement", null, []]);
  for (const key of ["objective", "done_gate", "not_doing", "reality_constraints", "validation_plan"] as const)
    assert.deepEqual(judge("implement", [approved], { [key]: "something else" }), asked, key);
  assert.deepEqual(judge("implement", [approved], { next_step: "something else" })[1], "implement");
});

test("a frame that was refused is rejected with a person's words, until it is another one or approved", () => {
  assert.deepEqual(judge("implement", [approved, refused]), ["rejected", "shape", null, ["frame_approved"]]);
  assert.deepEqual(judge("implement", [refused, approved])[1], "implement");
  assert.deepEqual(judge("implement", [refused], { objective: "UTF-8 alone" }), asked);
});

test("no approval is asked for by another contract, in another move, or while something else is wrong", () => {
  assert.deepEqual(judge("implement", [], {}, false), ["accepted", "implement", null, []]);
  assert.deepEqual(judge("shape", [], { next_step: "more" })[1], "shape");
  assert.deepEqual(judge("implement", [], { validation_plan: "" }), [
    "rejected",
    "shape",
    null,
    ["validation_plan_filled"],
  ]);
});

test("an approval in a journal has to answer what was asked", () => {
  const history = { ...readHistory([]), phase: "needs_user_decision" } as const;
  const judged = (frameAsked: { frame: string; question: string } | null) =>
    judgeEvent(
      { type: "approved", at: "t", ...approved },
      { before: { ...history, frameAsked }, previous: null, next: null, read: () => null, readPhase: () => null },
    );
  assert.deepEqual(judged({ frame, question: "Q1" }), []);
  for (const other of [null, { frame, question: "Q9" }, { frame: "[]", question: "Q1" }])
    assert.match(judged(other)[0] ?? "", /that was not asked/);
});
