import assert from "node:assert/strict";
import { test } from "node:test";
import { stateText } from "../../../lib/documents/state.ts";
import { stateAfter } from "../../../lib/pass/verdict/state-after.ts";
import type { Decision } from "../../../lib/rules/decision.ts";
import { escalate } from "../../../lib/rules/escalate.ts";
import { fieldList, mustRead } from "../../documents/arrange.ts";

const at = "2026-02-01T00:00:00.000Z";

function accepted(to: Decision["to"]): Decision {
  return {
    verdict: "accepted",
    from: "implement",
    proposed: to,
    to,
    reason: "",
    reasons: [],
    gates: [],
    progress: [],
    tickets: [],
    failure: null,
    escalation: null,
    ...{ proof: null, manual: [], over_bounds: null, frame: null },
    runner_fields: { validator_status: "pending", repair_applied: "no", revalidation_status: "pending" },
    exit_name: "ok",
  };
}

test("freely worded fields are rewritten plainly after an accepted pass, and listed", () => {
  const before = mustRead(fieldList());
  const proposal = mustRead(
    fieldList({ phase: "**Verify** (ready)", candidate_done: "Yes.", blockers: "n/a", validator_status: "all green" })
      .replace("Done gate:", "Done gates:")
      .concat("\nmine\n"),
  );
  const { text, overridden } = stateAfter(accepted("verify"), before, proposal, "", at, null);
  assert.ok(
    text.startsWith(fieldList({ phase: "verify", candidate_done: "yes", blockers: "none", last_updated: at })),
    text,
  );
  assert.match(text, /\nmine\n/);
  assert.deepEqual(overridden, ["Phase", "Blockers", "Done gate", "Candidate done", "Validator status"]);
});

test("a proposal in plain form is listed nowhere", () => {
  const before = mustRead(fieldList());
  assert.deepEqual(
    stateAfter(accepted("verify"), before, mustRead(fieldList({ phase: "verify" })), "", at, null).overridden,
    [],
  );
});

test("a stop writes Status over the agent's words; while the task works they stay", () => {
  const before = mustRead(fieldList());
  const proposal = mustRead(fieldList({ phase: "blocked", status: "nearly there" }));
  const status = (decision: Decision, words: string | null) =>
    mustRead(stateAfter(decision, before, proposal, "", at, words).text).view.fields.status;
  assert.equal(status(accepted("blocked"), "blocked: no key"), "blocked: no key");
  assert.equal(status(accepted("verify"), null), "nearly there");
});

test("a proposal that is not taken leaves the bytes of the last accepted STATE.md, and is still looked through", () => {
  const before = mustRead(fieldList().replace("Phase: ", "Phase:  "));
  const proposal = mustRead(fieldList({ phase: "verify", status: "nearly there", validator_status: "pass" }));
  const rejected: Decision = { ...accepted("implement"), verdict: "rejected" };
  assert.deepEqual(stateAfter(rejected, before, proposal, "artifacts/evidence.html", at, null), {
    text: stateText(before),
    overridden: ["Validator status"],
  });
  assert.deepEqual(stateAfter(rejected, before, null, "", at, null), { text: stateText(before), overridden: [] });
});

test("a redirected proposal is taken with the runner's values and the link to the evidence", () => {
  const proposal = mustRead(fieldList({ phase: "review", objective: "mine" }));
  const redirected: Decision = {
    ...accepted("repair"),
    verdict: "redirected",
    runner_fields: { validator_status: "fail", repair_applied: "yes", revalidation_status: "fail" },
  };
  const { fields } = mustRead(
    stateAfter(redirected, mustRead(fieldList()), proposal, "artifacts/evidence.html", at, null).text,
  ).view;
  assert.deepEqual(
    [fields.phase, fields.objective, fields.validator_status, fields.repair_applied, fields.evidence_link],
    ["repair", "mine", "fail", "yes", "artifacts/evidence.html"],
  );
});

test("an escalation sets Phase and Blockers on top of what was accepted before", () => {
  const before = mustRead(fieldList({ evidence_link: "before.html" }));
  const escalation = escalate("stuck", "implement", "it fails");
  const stuck: Decision = { ...accepted("blocked"), verdict: "rejected", escalation };
  const after = mustRead(stateAfter(stuck, before, null, "after.html", at, "stuck: it fails").text).view.fields;
  assert.deepEqual(after, {
    ...before.view.fields,
    ...{ phase: "blocked", blockers: escalation.blockers, status: "stuck: it fails", last_updated: at },
  });
});
