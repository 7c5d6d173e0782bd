import assert from "node:assert/strict";
import { test } from "node:test";
import type { GateInput } from "../../lib/rules/gate.ts";
import { judgeGates } from "../../lib/rules/gates.ts";
import { mayPropose, type Phase, phaseNames } from "../../lib/rules/phases.ts";
import type { FeatureRow, FieldValues, StateView } from "../../lib/rules/state-view.ts";
import { check, checkRun, codeIs, facts, failing, gateInput, policy, stateAt, stepsAre } from "./arrange.ts";

interface Case {
  readonly from: Phase;
  readonly to: Phase;
  readonly fields?: Partial<FieldValues>;
  readonly beforeFields?: Partial<FieldValues>;
  readonly lists?: Partial<StateView>;
  readonly beforeLists?: Partial<StateView>;
  readonly input?: Partial<GateInput>;
}

/** The codes of the gates that failed, each with what its failure leads to. */
function failures({ from, to, fields, beforeFields, lists, beforeLists, input }: Case): string[] {
  const given = gateInput(stateAt(from, beforeFields, beforeLists), stateAt(to, fields, lists), input);
  return judgeGates(from, to, given)
    .filter((gate) => !gate.ok)
    .map((gate) => `${gate.code}: ${gate.onFailure}`);
}

function gateCodes({ from, to, lists, input }: Case): string[] {
  return judgeGates(from, to, gateInput(stateAt(from), stateAt(to, {}, lists), input)).map((gate) => gate.code);
}

const checks = checkRun();
const row: FeatureRow = { feature: "Export", label: "real_working", proof: "artifacts/run.log" };
const proven = [{ feature: "Export", problem: null }];
const userFacing = policy({ user_facing: true });
const evidence = facts().evidence;

test("each transition has exactly the gates of the contract", () => {
  const validated = [
    "no_required_validator",
    "validator_tests",
    "required_ran",
    "checks_moved_repo",
    "checks_on_present_code",
    "proof_on_present_code",
  ];
  const features = ["feature_labels", "features_known", "features_proven", "features_kept", "findings_closed"];
  const frame = ["objective_filled", "done_gate_filled", "not_doing_filled", "reality_constraints_filled"];
  const lists = { features: [row] };
  const input = { checks, policy: userFacing, feature_proofs: proven };
  const finished = ["review_kept_code", "candidate_done", "revalidated", "no_blockers", "steps_done", "promise"];
  const expected: Readonly<Record<string, readonly string[]>> = {
    "intake → shape": frame,
    "shape → implement": [...frame, "validation_plan_filled", "features_listed", "feature_labels"],
    "implement → verify": ["current_result_filled", "evidence_exists"],
    "verify → review": [...validated, ...features, "evidence_link"],
    "verify → repair": ["ticket_given"],
    "review → repair": ["ticket_given"],
    "repair → verify": [],
    "review → done": [...validated, ...features, "evidence_link", ...finished],
    "shape → blocked": ["blockers_filled"],
    "implement → blocked": ["blockers_filled"],
    "verify → blocked": ["blockers_filled"],
    "repair → blocked": ["blockers_filled"],
    "shape → needs_user_decision": ["question_open"],
    "implement → needs_user_decision": ["question_open"],
    "verify → needs_user_decision": ["question_open"],
    "review → needs_user_decision": ["question_open"],
    "repair → needs_user_decision": ["question_open"],
  };
  const moves = phaseNames.flatMap((from) =>
    phaseNames.filter((to) => from !== to && mayPropose(from, to)).map((to) => ({ from, to })),
  );
  const found = Object.fromEntries(
    moves.map(({ from, to }) => [`${from} → ${to}`, gateCodes({ from, to, lists, input })]),
  );
  assert.deepEqual(found, expected);
});

test("staying in a phase has no gates", () => {
  assert.deepEqual(
    phaseNames.flatMap((phase) => judgeGates(phase, phase, gateInput(stateAt(phase), stateAt(phase)))),
    [],
  );
});

const passing: readonly (Case & { readonly name: string })[] = [
  { name: "intake → shape with the frame filled", from: "intake", to: "shape", fields: { validation_plan: "" } },
  { name: "shape → implement with frame and plan filled", from: "shape", to: "implement" },
  {
    name: "shape → implement of a user-facing task with a labelled feature",
    from: "shape",
    to: "implement",
    lists: { features: [{ ...row, label: "unknown_do_not_show" }] },
    input: { policy: userFacing },
  },
  {
    name: "shape → implement of another task with an odd label",
    from: "shape",
    to: "implement",
    lists: { features: [{ ...row, label: "x" }] },
  },
  { name: "implement → verify with a result and proof", from: "implement", to: "verify" },
  { name: "verify → review with checks that pass", from: "verify", to: "review", input: { checks } },
  {
    name: "verify → review where only an optional check fails",
    from: "verify",
    to: "review",
    input: { checks: checkRun([check(), failing({ name: "lint", required: false })]) },
  },
  {
    name: "verify → review where the second run stood still",
    from: "verify",
    to: "review",
    input: { checks: checkRun([check()], { attempts: 2 }) },
  },
  {
    name: "verify → review with proven and hidden features",
    from: "verify",
    to: "review",
    lists: { features: [row, { feature: "Import", label: "blocked_hidden", proof: "" }] },
    input: { checks, feature_proofs: proven },
  },
  { name: "verify → repair with a new finding", from: "verify", to: "repair", lists: { findings: ["no header"] } },
  { name: "review → repair with a new finding", from: "review", to: "repair", lists: { findings: ["fake backend"] } },
  {
    name: "verify → repair with a finding of an earlier pass",
    from: "verify",
    to: "repair",
    beforeLists: { findings: ["known"] },
    lists: { findings: ["known"] },
  },
  {
    name: "review → done with findings that are ticked",
    from: "review",
    to: "done",
    beforeLists: { findings: ["old"] },
    lists: { closed_findings: ["old"] },
    input: { checks },
  },
  { name: "repair → verify", from: "repair", to: "verify", fields: { current_result: "", objective: "" } },
  { name: "review → done with all proof", from: "review", to: "done", input: { checks } },
  {
    name: "review → done with empty Blockers",
    from: "review",
    to: "done",
    fields: { blockers: "" },
    input: { checks },
  },
  {
    name: "review → done after a repair that was revalidated",
    from: "review",
    to: "done",
    beforeFields: { repair_applied: "yes", revalidation_status: "pass" },
    input: { checks },
  },
  {
    name: "review → done after a repair that the present checks revalidate",
    from: "review",
    to: "done",
    beforeFields: { repair_applied: "yes", revalidation_status: "pending" },
    input: { checks },
  },
  {
    name: "verify → review where every required scenario passed",
    from: "verify",
    to: "review",
    input: {
      checks: checkRun([check(), check({ name: "export", kind: "scenario" })]),
      policy: policy({ required_scenarios: ["export"] }),
    },
  },
  {
    name: "verify → review with a known feature that is now hidden",
    from: "verify",
    to: "review",
    lists: { features: [{ feature: "Export", label: "blocked_hidden", proof: "" }] },
    input: { checks, known_features: ["Export"] },
  },
  {
    name: "verify → review with a hidden feature whose proof does not hold",
    from: "verify",
    to: "review",
    lists: { features: [{ feature: "Export", label: "blocked_hidden", proof: "" }] },
    input: { checks, feature_proofs: [{ feature: "Export", problem: "no such file" }] },
  },
  {
    name: "review → done without the promise where the contract switched it off",
    from: "review",
    to: "done",
    input: { checks, promise_seen: false, policy: policy({ completion_promise: null }) },
  },
  {
    name: "review → done with every step ticked",
    from: "review",
    to: "done",
    input: { checks, steps: stepsAre([{ text: "a", done: true }]) },
  },
  { name: "→ blocked with Blockers filled", from: "implement", to: "blocked", fields: { blockers: "no key" } },
  {
    name: "→ needs_user_decision with an open question",
    from: "review",
    to: "needs_user_decision",
    input: { open_questions: ["Q1"] },
  },
];
for (const each of passing) test(`${each.name} passes every gate`, () => assert.deepEqual(failures(each), []));

const frameKeys = ["objective", "done_gate", "not_doing", "reality_constraints"] as const;
const frameFailures = frameKeys.flatMap((key) => [
  {
    name: `intake → shape without ${key}`,
    from: "intake" as const,
    to: "shape" as const,
    fields: { [key]: "TBD" },
    fails: [`${key}_filled: reject`],
  },
  {
    name: `shape → implement without ${key}`,
    from: "shape" as const,
    to: "implement" as const,
    fields: { [key]: "" },
    fails: [`${key}_filled: reject`],
  },
]);

const failingCases: readonly (Case & { readonly name: string; readonly fails: readonly string[] })[] = [
  ...frameFailures,
  {
    name: "intake → shape where none stands for the objective",
    from: "intake",
    to: "shape",
    fields: { objective: "none", done_gate: "none" },
    fails: ["objective_filled: reject", "done_gate_filled: reject"],
  },
  {
    name: "shape → implement without a plan",
    from: "shape",
    to: "implement",
    fields: { validation_plan: "?" },
    fails: ["validation_plan_filled: reject"],
  },
  {
    name: "shape → implement of a user-facing task without a feature",
    from: "shape",
    to: "implement",
    input: { policy: userFacing },
    fails: ["features_listed: reject"],
  },
  {
    name: "shape → implement of a user-facing task with an odd label",
    from: "shape",
    to: "implement",
    lists: { features: [row, { ...row, label: "works" }] },
    input: { policy: userFacing },
    fails: ["feature_labels: reject"],
  },
  {
    name: "implement → verify without a result",
    from: "implement",
    to: "verify",
    fields: { current_result: "todo" },
    fails: ["current_result_filled: reject"],
  },
  {
    name: "implement → verify with a problem at the Evidence location",
    from: "implement",
    to: "verify",
    input: { evidence: { ...evidence, problem: "it is a link" } },
    fails: ["evidence_exists: reject"],
  },
  {
    name: "implement → verify with no file at the Evidence location",
    from: "implement",
    to: "verify",
    input: { evidence: { ...evidence, files: [] } },
    fails: ["evidence_exists: reject"],
  },
  {
    name: "verify → review without any required validator",
    from: "verify",
    to: "review",
    input: { checks: checkRun([]), policy: policy({ required_validators: [] }) },
    fails: ["no_required_validator: ask"],
  },
  { name: "verify → review where no check ran", from: "verify", to: "review", fails: ["checks_ran: reject"] },
  {
    name: "verify → review where the run does not tell of a required validator",
    from: "verify",
    to: "review",
    input: { checks: checkRun([]) },
    fails: ["required_ran: reject"],
  },
  {
    name: "verify → review where a scenario or an optional check has the name of a required validator",
    from: "verify",
    to: "review",
    input: { checks: checkRun([check({ kind: "scenario" }), check({ required: false })]) },
    fails: ["required_ran: reject"],
  },
  {
    name: "verify → review where the run does not tell of a required scenario",
    from: "verify",
    to: "review",
    input: { checks, policy: policy({ required_scenarios: ["export"] }) },
    fails: ["required_ran: reject"],
  },
  ...(["fail", "timeout", "not_started"] as const).map((status) => ({
    name: `verify → review where a validator ended as ${status}`,
    from: "verify" as const,
    to: "review" as const,
    input: { checks: checkRun([failing({ status })]) },
    fails: ["validator_tests: redirect"],
  })),
  {
    name: "verify → review where only a scenario fails, broken before or not",
    from: "verify",
    to: "review",
    input: { checks: checkRun([check(), failing({ name: "export", kind: "scenario", attribution: "broken_before" })]) },
    fails: ["scenario_export: redirect"],
  },
  {
    name: "verify → review where the checks moved the repo twice",
    from: "verify",
    to: "review",
    input: { checks: checkRun([check()], { attempts: 2, moved: ["a.snap"] }) },
    fails: ["checks_moved_repo: redirect"],
  },
  {
    name: "verify → review where the fingerprint moved under the checks and unknown paths",
    from: "verify",
    to: "review",
    input: { checks: checkRun([check()], { fingerprint_before: "f0" }) },
    fails: ["checks_moved_repo: redirect"],
  },
  {
    name: "verify → review where the repo changed after the checks",
    from: "verify",
    to: "review",
    input: { checks, fingerprint: codeIs("f2") },
    fails: ["checks_on_present_code: reject"],
  },
  {
    name: "verify → review with an unknown feature",
    from: "verify",
    to: "review",
    lists: { features: [{ ...row, label: "unknown_do_not_show" }] },
    input: { checks },
    fails: ["features_known: reject"],
  },
  {
    name: "verify → review with a label that is none",
    from: "verify",
    to: "review",
    lists: { features: [{ ...row, label: "works" }] },
    input: { checks },
    fails: ["feature_labels: reject"],
  },
  {
    name: "verify → review with a real feature whose proof is missing",
    from: "verify",
    to: "review",
    lists: { features: [{ ...row, label: "real_read_only" }] },
    input: { checks, feature_proofs: [{ feature: "Export", problem: "no such file" }] },
    fails: ["features_proven: reject"],
  },
  {
    name: "verify → review with a real feature that no proof was looked up for",
    from: "verify",
    to: "review",
    lists: { features: [row] },
    input: { checks },
    fails: ["features_proven: reject"],
  },
  {
    name: "verify → review where a feature row vanished",
    from: "verify",
    to: "review",
    input: { checks, known_features: ["Export"] },
    fails: ["features_kept: reject"],
  },
  {
    name: "verify → review without a link",
    from: "verify",
    to: "review",
    input: { checks, evidence: { ...evidence, link_target: null, link_target_exists: false } },
    fails: ["evidence_link: reject"],
  },
  {
    name: "verify → review with a link to nothing",
    from: "verify",
    to: "review",
    input: { checks, evidence: { ...evidence, link_target_exists: false } },
    fails: ["evidence_link: reject"],
  },
  {
    name: "verify → review with an open finding of an earlier pass",
    from: "verify",
    to: "review",
    beforeLists: { findings: ["known"] },
    lists: { findings: ["known"] },
    input: { checks },
    fails: ["findings_closed: reject"],
  },
  {
    name: "review → done with an open finding of an earlier pass",
    from: "review",
    to: "done",
    beforeLists: { findings: ["old"] },
    lists: { findings: ["old"] },
    input: { checks },
    fails: ["findings_closed: reject"],
  },
  { name: "verify → repair without a finding", from: "verify", to: "repair", fails: ["ticket_given: reject"] },
  {
    name: "review → repair with a blank finding",
    from: "review",
    to: "repair",
    lists: { findings: [""] },
    fails: ["ticket_given: reject"],
  },
  { name: "review → done where no check ran", from: "review", to: "done", fails: ["checks_ran: reject"] },
  {
    name: "review → done where a validator fails",
    from: "review",
    to: "done",
    input: { checks: checkRun([failing()]) },
    fails: ["validator_tests: redirect"],
  },
  {
    name: "review → done where the code moved",
    from: "review",
    to: "done",
    input: { checks, reviewed_fingerprint: "f0" },
    fails: ["review_kept_code: redirect"],
  },
  {
    name: "review → done that nothing was verified for",
    from: "review",
    to: "done",
    input: { checks, reviewed_fingerprint: null },
    fails: ["review_kept_code: redirect"],
  },
  {
    name: "review → done without Candidate done",
    from: "review",
    to: "done",
    fields: { candidate_done: "no" },
    input: { checks },
    fails: ["candidate_done: reject"],
  },
  {
    name: "review → done after a repair that was not revalidated, whatever the proposal claims",
    from: "review",
    to: "done",
    beforeFields: { repair_applied: "yes", revalidation_status: "pending" },
    fields: { repair_applied: "no", revalidation_status: "pass" },
    input: { checks: null },
    fails: ["checks_ran: reject", "revalidated: reject"],
  },
  ...["no key", "TBD", "-", "?"].map((blockers) => ({
    name: `review → done with Blockers "${blockers}"`,
    from: "review" as const,
    to: "done" as const,
    fields: { blockers },
    input: { checks },
    fails: ["no_blockers: reject"],
  })),
  {
    name: "review → done with an open step",
    from: "review",
    to: "done",
    input: {
      checks,
      steps: stepsAre([
        { text: "a", done: true },
        { text: "b", done: false },
      ]),
    },
    fails: ["steps_done: reject"],
  },
  {
    name: "review → done without the promise",
    from: "review",
    to: "done",
    input: { checks, promise_seen: false },
    fails: ["promise: reject"],
  },
  { name: "→ blocked with Blockers none", from: "repair", to: "blocked", fails: ["blockers_filled: reject"] },
  {
    name: "→ needs_user_decision without a question",
    from: "shape",
    to: "needs_user_decision",
    fails: ["question_open: reject"],
  },
];
for (const { fails, ...each } of failingCases)
  test(`${each.name} fails that gate alone`, () => assert.deepEqual(failures(each), fails));

test("a gate says why it fails in words that name the thing", () => {
  const moved = Array.from({ length: 30 }, (_, index) => `f${index}`);
  const features = [
    { ...row, label: "real_works" },
    { ...row, feature: "Import", label: "unknown_do_not_show" },
  ];
  const given = gateInput(stateAt("review"), stateAt("done", { blockers: "no key" }, { features }), {
    known_features: ["Export", "Gone"],
    checks: checkRun([failing({ exit_code: null, signal: "SIGKILL" })], { moved }),
    feature_proofs: [{ feature: "Export", problem: "a.png is empty" }],
    steps: stepsAre([{ text: "write docs", done: false }]),
    reviewed_fingerprint: "f0",
  });
  const said = judgeGates("review", "done", given).map(({ code, detail }) => `${code}: ${detail}`);
  assert.deepEqual(said, [
    "no_required_validator: tests",
    "validator_tests: ended with SIGKILL; see artifacts/passes/0001/validators/tests.log",
    "required_ran: all did",
    `checks_moved_repo: the checks themselves changed ${moved.slice(0, 20).join(", ")}, twice`,
    "checks_on_present_code: same fingerprint",
    'feature_labels: "Export" is labelled "real_works"; expected one of real_working, real_read_only, blocked_hidden, unknown_do_not_show',
    "features_known: still unknown_do_not_show: Import",
    "features_proven: Export: a.png is empty",
    "features_kept: gone: Gone; hide a feature by its label, not by deleting its row",
    "findings_closed: none open",
    "evidence_link: artifacts/run.log",
    "review_kept_code: the repo changed since it was verified; review must not change code",
    "candidate_done: it is yes",
    "revalidated: no repair was applied",
    "no_blockers: Blockers is still: no key",
    "steps_done: 1 open, the first: write docs",
    "promise: it did",
  ]);
});
