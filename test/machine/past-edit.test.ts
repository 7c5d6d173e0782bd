import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckRun } from "../../lib/machine/check-run.ts";
import { judgePastEdit } from "../../lib/machine/past-edit.ts";
import { type Phase, phaseNames, phases, workingPhases } from "../../lib/machine/phases.ts";
import { check, checkRun, failing, reported, stateAt } from "./arrange.ts";

const features = [{ feature: "Export", label: "real_working", proof: "gone.md" }];

function judge(
  from: Phase,
  to: Phase,
  checks: CheckRun | null = checkRun(),
  findings: readonly string[] = to === "repair" ? ["new"] : [],
) {
  const blockers = to === "blocked" ? "no key" : "none";
  return judgePastEdit(stateAt(from, {}, { features }), stateAt(to, { blockers }, { findings, features }), {
    checks,
    reviews: {},
    watchAnswers: { accepted: [], refused: [] },
  });
}

test("of all 81 pairs a person could have set what the table allows: what only the disk told counts as held", () => {
  const pairs = phaseNames.flatMap((from) => phaseNames.map((to) => [from, to] as const));
  const expected = pairs.filter(([from, to]) => {
    if (from === to) return true;
    if (to === "done") return false;
    if (from === "done") return to === "intake";
    return workingPhases.includes(from) ? phases[from].next.includes(to) : workingPhases.includes(to);
  });
  const accepted = pairs.filter(([from, to]) => judge(from, to).kind === "accepted");
  assert.deepEqual(accepted, expected);
});

test("what the journal tells is judged: the checks before review, and a reason for repair", () => {
  const optional = failing({ name: "lint", required: false });
  const kind = (checks: CheckRun | null) => judge("verify", "review", checks).kind;
  assert.deepEqual(
    [
      null,
      checkRun([failing()]),
      checkRun([check(), optional]),
      checkRun([check({ kind: "scenario" })]),
      checkRun([check({ required: false })]),
      checkRun([check()], { fingerprint_after: "f2", fingerprint_before: "f2" }),
    ].map(kind),
    ["refused", "refused", "accepted", "refused", "refused", "accepted"],
  );
  const nothing = judge("verify", "repair", null, []);
  assert.match(nothing.kind === "refused" ? nothing.reason : "", /no finding says what to repair/);
});

test("a repair may come from a reviewer or from a refused change, and those make it no other move", () => {
  const known = {
    checks: null,
    reviews: { tests: reported({ findings: [{ severity: "blocking", text: "no" }] }) },
    watchAnswers: { accepted: [], refused: [{ name: "a.test.js", digest: "d" }] },
  };
  const none = { ...known, reviews: {}, watchAnswers: { accepted: [], refused: [] } };
  const move = (to: Phase, given: typeof known | typeof none) =>
    judgePastEdit(stateAt("verify"), stateAt(to), given as typeof known).kind;
  assert.deepEqual(
    [move("repair", known), move("repair", { ...known, reviews: {} } as never), move("repair", none)],
    ["accepted", "accepted", "refused"],
  );
  const checked = { ...known, checks: checkRun() };
  assert.equal(judgePastEdit(stateAt("verify"), stateAt("review"), checked).kind, "accepted");
});
