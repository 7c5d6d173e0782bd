import assert from "node:assert/strict";
import { test } from "node:test";
import { frameGates, frameLeft, gatesBesideChecks, nextOfFrame } from "../../lib/rules/advance.ts";
import { frameOf } from "../../lib/rules/approval.ts";
import { phaseNames } from "../../lib/rules/phases.ts";
import { facts, policy, stateAt } from "./arrange.ts";

const state = stateAt("shape");
const open = (gates: readonly { readonly gate: string; readonly ok: boolean; readonly detail: string }[]) =>
  gates.filter(({ ok }) => !ok).map(({ gate, detail }) => `${gate}: ${detail}`);

test("without a model the runner moves intake and shape alone", () => {
  assert.deepEqual(
    phaseNames.flatMap((from) => nextOfFrame(from) ?? []),
    ["shape", "implement"],
  );
});

test("the validation plan is asked for only on the way to implement", () => {
  const unplanned = stateAt("shape", { validation_plan: "TBD" });
  assert.deepEqual([open(frameGates("intake", unplanned)).length, open(frameGates("shape", unplanned)).length], [0, 1]);
  assert.equal(open(frameGates("intake", stateAt("intake", { objective: "" }))).length, 1);
});

test("a frame is left to a model only if the contract asks for an approval, a review, features or a check", () => {
  assert.deepEqual(open(frameLeft(policy(), state, [])), []);
  assert.deepEqual(open(frameLeft(policy({ review: { reviewers: ["tests"], at: ["review"] } }), state, [])), []);
  assert.deepEqual(open(frameLeft(policy({ review: { reviewers: [], at: ["shape"] } }), state, [])), []);
  assert.deepEqual(
    open(frameLeft(policy({ review: { reviewers: ["tests", "security"], at: ["shape"] } }), state, [])),
    ["No review of the frame is due: tests, security"],
  );
  assert.deepEqual(open(frameLeft(policy({ required_validators: [] }), state, [])), [
    "A required validator is named: none",
  ]);
  assert.equal(open(frameLeft(policy({ user_facing: true }), state, [])).length, 1);
});

test("an approval is due until a person approved exactly this frame", () => {
  const approving = policy({ approve: ["shape"] });
  const answer = { frame: frameOf(state), approved: true, said: "yes", question: "Q1" };
  const due = ["No approval of the frame is due: a person approves it"];
  assert.deepEqual(open(frameLeft(approving, state, [])), due);
  assert.deepEqual(open(frameLeft(approving, state, [answer])), []);
  assert.deepEqual(open(frameLeft(approving, state, [answer, { ...answer, approved: false }])), due);
  assert.deepEqual(open(frameLeft(approving, stateAt("shape", { objective: "Another" }), [answer])), due);
});

test("gates that only checks can answer are left out before they run", () => {
  const input = { ...facts(), before: state, state: stateAt("review"), policy: policy() };
  const codes = gatesBesideChecks("verify", "review", input).map(({ code }) => code);
  assert.deepEqual([codes.includes("checks_ran"), codes.length > 0], [false, true]);
});
