import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsClosed, findingsKept, openFindings } from "../../lib/machine/open-findings.ts";
import type { Phase } from "../../lib/machine/phases.ts";
import type { StateView } from "../../lib/machine/state-view.ts";
import { stateAt } from "./arrange.ts";

const at = (phase: Phase, findings: readonly string[], lists: Partial<StateView> = {}): StateView =>
  stateAt(phase, {}, { findings, ...lists });

test("every item that is not blank is open, whoever added it", () => {
  assert.deepEqual(openFindings(at("verify", ["a", " ", "b"])), ["a", "b"]);
  assert.equal(findingsClosed(at("verify", [" "], { closed_findings: ["a"] })).ok, true);
  const { ok, failed, onFailure } = findingsClosed(at("verify", ["the total  is wrong", "b"]));
  assert.equal(ok, false);
  assert.equal(onFailure, "reject");
  assert.match(failed, /^of the items under Findings 2 are open: the total is wrong; propose `repair`/);
});

test("an open finding may be kept, ticked, extended or moved to Notes", () => {
  const before = at("implement", ["The total is wrong"]);
  for (const after of [
    at("implement", ["the total is  wrong"]),
    at("implement", ["The total is wrong for -1 (add.mjs:1)"]),
    at("verify", [], { closed_findings: ["The total is wrong"] }),
    at("verify", [], { notes: ["The total is wrong: no defect, the brief wants it so"] }),
    at("verify", [], { notes: ["The brief wants these so:", "The total is wrong"] }),
  ])
    assert.deepEqual(findingsKept(before, after), []);
});

test("a pass that removes an open finding is rejected", () => {
  const [gate] = findingsKept(at("implement", ["a b", "c"]), at("verify", ["c"], { closed_findings: ["other"] }));
  assert.equal(gate?.ok, false);
  assert.match(gate?.failed ?? "", /^a finding that was open is gone from Findings: a b; put it back, tick it/);
});

test("a finding that is moved to Notes without a word why is removed", () => {
  const known = { notes: ["An earlier note"] };
  for (const notes of [["a b"], ["An earlier note", "a b"], ["a b."], ["- a b", "a  B"]]) {
    const [gate] = findingsKept(stateAt("verify", {}, { findings: ["a b"], ...known }), at("review", [], { notes }));
    assert.match(gate?.failed ?? "", /^a finding that was open is gone/, notes.join());
  }
});

test("a repair may remove a finding if it has written a new Current result", () => {
  const before = stateAt("repair", { current_result: "The total is made" }, { findings: ["a b"] });
  const [gate] = findingsKept(before, stateAt("verify", { current_result: " the total is  made" }));
  assert.match(gate?.failed ?? "", /^a finding that was open is gone from Findings: a b; .* Current result/);
  assert.deepEqual(findingsKept(before, stateAt("verify", { current_result: "-1 is now added" })), []);
});
