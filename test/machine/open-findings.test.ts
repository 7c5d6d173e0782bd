import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsClosed, findingsKept, openFindings } from "../../lib/machine/open-findings.ts";
import type { Phase } from "../../lib/machine/phases.ts";
import type { StateView } from "../../lib/machine/state-view.ts";
import { stateAt } from "./arrange.ts";

const at = (phase: Phase, findings: readonly string[], closed_findings: readonly string[] = []): StateView =>
  stateAt(phase, {}, { findings, closed_findings });

test("every item that is not blank is open, whoever added it", () => {
  assert.deepEqual(openFindings(at("verify", ["a", " ", "b"])), ["a", "b"]);
  assert.equal(findingsClosed(at("verify", [" "], ["a"])).ok, true);
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
    at("verify", [], ["The total is wrong"]),
    at("verify", [], ["The total is wrong: no defect, the brief wants it so"]),
  ])
    assert.deepEqual(findingsKept(before, after), []);
});

test("a pass that removes an open finding is rejected, and one in repair is not", () => {
  const [gate] = findingsKept(at("implement", ["a b", "c"]), at("verify", ["c"], ["other"]));
  assert.equal(gate?.ok, false);
  assert.match(gate?.failed ?? "", /^a finding that was open is gone from Findings: a b; put it back, tick it/);
  assert.deepEqual(findingsKept(at("repair", ["a b"]), at("verify", [])), []);
});
