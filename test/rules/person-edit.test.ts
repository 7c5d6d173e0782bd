import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckRun } from "../../lib/rules/check-run.ts";
import { clearsHold, judgePastEdit, judgePersonEdit, judgeReopening } from "../../lib/rules/person-edit.ts";
import { type Phase, phaseNames, phases, workingPhases } from "../../lib/rules/phases.ts";
import { reopenedFields } from "../../lib/rules/runner-fields.ts";
import { check, checkRun, codeIs, failing, gateInput, reported, stateAt } from "./arrange.ts";

const proven = { validator_status: "pass", repair_applied: "yes", revalidation_status: "pass" } as const;

function edit(from: Phase, to: Phase, overrides = {}, fields = {}, findings: string[] = []) {
  return judgePersonEdit(gateInput(stateAt(from, proven), stateAt(to, fields, { findings }), overrides));
}

/** What a person may set by hand where every gate holds. */
const openGates = { checks: checkRun(), open_questions: ["Q1"] };

test("of all 81 pairs a person may set what the table allows, any working phase from a stop, and never done", () => {
  const accepted = phaseNames.flatMap((from) =>
    phaseNames
      .filter(
        (to) =>
          edit(from, to, openGates, { blockers: to === "blocked" ? "no key" : "none" }, to === "repair" ? ["new"] : [])
            .kind === "accepted",
      )
      .map((to) => `${from} → ${to}`),
  );
  const expected = phaseNames.flatMap((from) =>
    phaseNames
      .filter((to) => {
        if (from === to) return true;
        if (to === "done") return false;
        if (from === "done") return to === "intake";
        if (from === "blocked" || from === "needs_user_decision") return workingPhases.includes(to);
        return phases[from].next.includes(to);
      })
      .map((to) => `${from} → ${to}`),
  );
  assert.deepEqual(accepted, expected);
});

test("an edit of content keeps the runner's values, in every phase", () => {
  for (const phase of phaseNames) {
    assert.deepEqual(edit(phase, phase, {}, { next_step: "other", validator_status: "fail" }), {
      kind: "accepted",
      reopened: false,
      tickets: [],
      runner_fields: proven,
    });
  }
});

test("a person cannot set done, with all gates open or from any phase", () => {
  const others = phaseNames.filter((name) => name !== "done");
  assert.deepEqual(
    others.map((from) => edit(from, "done", openGates)),
    others.map(() => ({
      kind: "refused",
      reason: "only the runner sets done, with proof; set `review` and let a pass propose it",
    })),
  );
});

test("a phase that the table does not allow is refused with those that it does", () => {
  assert.deepEqual(edit("implement", "review", openGates), {
    kind: "refused",
    reason:
      "implement → review is not allowed; from implement a pass may propose implement, verify, blocked, needs_user_decision",
  });
});

test("a phase whose gates are closed is refused with every gate that failed", () => {
  assert.deepEqual(edit("intake", "shape", {}, { objective: "", done_gate: "" }), {
    kind: "refused",
    reason:
      "intake → shape: Objective is empty or a placeholder; state it in one line; Done gate is empty or a placeholder; state it in one line",
  });
});

test("verify → review by hand needs checks that passed on the code that stands, and takes their result over", () => {
  assert.equal(edit("verify", "review").kind, "refused");
  assert.equal(edit("verify", "review", { checks: checkRun([failing()]) }).kind, "refused");
  assert.equal(edit("verify", "review", { checks: checkRun(), fingerprint: codeIs("f2") }).kind, "refused");
  const pending = stateAt("verify", { repair_applied: "yes" });
  assert.deepEqual(judgePersonEdit(gateInput(pending, stateAt("review"), { checks: checkRun() })), {
    kind: "accepted",
    reopened: false,
    tickets: [],
    runner_fields: proven,
  });
});

test("a move to repair by hand makes a ticket of each new finding and is no reopening", () => {
  assert.deepEqual(edit("review", "repair", {}, {}, ["no header"]), {
    kind: "accepted",
    reopened: false,
    tickets: [{ id: "finding:1", source: "finding", name: "no header", text: "no header" }],
    runner_fields: proven,
  });
});

test("a move to verify by hand makes earlier results pending", () => {
  assert.deepEqual(edit("repair", "verify", { checks: checkRun() }), {
    kind: "accepted",
    reopened: false,
    tickets: [],
    runner_fields: { validator_status: "pending", repair_applied: "yes", revalidation_status: "pending" },
  });
});

test("a stopped task that is opened again starts with nothing proven, no gate asked", () => {
  assert.deepEqual(edit("blocked", "verify", {}, { objective: "", current_result: "" }), {
    kind: "accepted",
    reopened: true,
    tickets: [],
    runner_fields: reopenedFields,
  });
});

test("a task that the runner holds in intake goes on there", () => {
  assert.equal(judgeReopening("intake", "intake", true).kind, "accepted");
  assert.equal(judgeReopening("intake", "shape", true).kind, "refused");
});

test("a hold in intake is cleared by an edit there that leaves no blocker, if the runner stopped the task", () => {
  const stop = { cause: "passes", blockers: "b", question: null, happened: "h" } as const;
  assert.deepEqual(
    [
      clearsHold(stop, stateAt("intake"), "intake"),
      clearsHold(stop, stateAt("intake", { blockers: "no key" }), "intake"),
      clearsHold(null, stateAt("intake"), "intake"),
      clearsHold(stop, stateAt("shape"), "shape"),
    ],
    [true, false, false, false],
  );
  assert.deepEqual(judgeReopening("intake", "intake", true), judgeReopening("blocked", "shape"));
  assert.deepEqual(judgeReopening("blocked", "shape"), {
    ...{ kind: "accepted", reopened: true, tickets: [] },
    runner_fields: reopenedFields,
  });
});

test("reopening is refused from a working phase and to a phase that it may not reach", () => {
  assert.deepEqual(
    [
      judgeReopening("intake", "intake"),
      judgeReopening("implement", "verify"),
      judgeReopening("done", "review"),
      judgeReopening("blocked", "needs_user_decision"),
    ],
    [
      { kind: "refused", reason: "the task is not stopped: it is in intake" },
      { kind: "refused", reason: "the task is not stopped: it is in implement" },
      { kind: "refused", reason: "from done a person may set intake; found review" },
      {
        kind: "refused",
        reason:
          "from blocked a person may set intake, shape, implement, verify, review, repair; found needs_user_decision",
      },
    ],
  );
});

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

test("the journal's record is judged: the checks before review, and a reason for repair", () => {
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
