import assert from "node:assert/strict";
import { test } from "node:test";
import { wantedForm, withWantedForm } from "../../lib/machine/wanted-form.ts";

test("a refusal shows the line to copy", () => {
  const wanted = (code: string) => wantedForm({ code }, "verify");
  assert.equal(wanted("objective_filled"), "- Objective: what holds, in one line");
  assert.equal(wanted("blockers_filled"), "- Blockers: what is missing, and who can provide it");
  assert.equal(wanted("illegal_transition"), "- Phase: review");
  assert.equal(wanted("candidate_done"), "- Candidate done: yes");
  assert.equal(wanted("evidence_exists"), "- Evidence location: artifacts/");
  assert.equal(wanted("checks_failed"), null);
});

test("the line stands behind the reason, and a reason without one stays as it is", () => {
  const reason = { category: "gate", code: "no_blockers", text: "Blockers is still: key" } as const;
  assert.equal(withWantedForm(reason, "review"), "Blockers is still: key. Write it so: `- Blockers: none`");
  assert.equal(withWantedForm({ ...reason, code: "other" }, "review"), "Blockers is still: key");
});
