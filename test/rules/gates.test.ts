import assert from "node:assert/strict";
import { test } from "node:test";
import type { GateInput } from "../../lib/rules/gate.ts";
import { judgeGates } from "../../lib/rules/gates.ts";
import { mayPropose, type Phase, phaseNames } from "../../lib/rules/phases.ts";
import type { FeatureRow, FieldValues, StateView } from "../../lib/rules/state-view.ts";
import { check, checkRun, codeIs, facts, failing, gateInput, policy, stateAt, stepsAre } from "./arrange.ts";

/** What a case changes of facts with which every gate of its transition holds. */
interface Change {
  readonly fields?: Partial<FieldValues>;
  readonly beforeFields?: Partial<FieldValues>;
  readonly lists?: Partial<StateView>;
  readonly beforeLists?: Partial<StateView>;
  readonly input?: Partial<GateInput>;
}

/** The codes of the gates that failed, each with what its failure leads to; a title begins with `FROM → TO`. */
function failures(title: string, { fields, beforeFields, lists, beforeLists, input }: Change): string[] {
  const [from, , to] = title.split(" ") as [Phase, string, Phase];
  const given = gateInput(stateAt(from, beforeFields, beforeLists), stateAt(to, fields, lists), input);
  return judgeGates(from, to, given)
    .filter((gate) => !gate.ok)
    .map((gate) => `${gate.code}: ${gate.onFailure}`);
}

function gateCodes(from: Phase, to: Phase, { lists, input }: Change): string[] {
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
    moves.map(({ from, to }) => [`${from} → ${to}`, gateCodes(from, to, { lists, input })]),
  );
  assert.deepEqual(found, expected);
});

test("staying in a phase has no gates", () => {
  assert.deepEqual(
    phaseNames.flatMap((phase) => judgeGates(phase, phase, gateInput(stateAt(phase), stateAt(phase)))),
    [],
  );
});

const passing: readonly (readonly [title: string, change: Change])[] = [
  ["intake → shape with the frame filled", { fields: { validation_plan: "" } }],
  ["shape → implement with frame and plan filled", {}],
  [
    "shape → implement of a user-facing task with a labelled feature",
    { lists: { features: [{ ...row, label: "unknown_do_not_show" }] }, input: { policy: userFacing } },
  ],
  ["shape → implement of another task with an odd label", { lists: { features: [{ ...row, label: "x" }] } }],
  ["implement → verify with a result and proof", {}],
  ["verify → review with checks that pass", { input: { checks } }],
  [
    "verify → review where only an optional check fails",
    { input: { checks: checkRun([check(), failing({ name: "lint", required: false })]) } },
  ],
  ["verify → review where the second run stood still", { input: { checks: checkRun([check()], { attempts: 2 }) } }],
  [
    "verify → review with proven and hidden features",
    {
      lists: { features: [row, { feature: "Import", label: "blocked_hidden", proof: "" }] },
      input: { checks, feature_proofs: proven },
    },
  ],
  ["verify → repair with a new finding", { lists: { findings: ["no header"] } }],
  ["review → repair with a new finding", { lists: { findings: ["fake backend"] } }],
  [
    "verify → repair with a finding of an earlier pass",
    { beforeLists: { findings: ["known"] }, lists: { findings: ["known"] } },
  ],
  [
    "review → done with findings that are ticked",
    { beforeLists: { findings: ["old"] }, lists: { closed_findings: ["old"] }, input: { checks } },
  ],
  ["repair → verify", { fields: { current_result: "", objective: "" } }],
  ["review → done with all proof", { input: { checks } }],
  ["review → done with empty Blockers", { fields: { blockers: "" }, input: { checks } }],
  [
    "review → done after a repair that was revalidated",
    { beforeFields: { repair_applied: "yes", revalidation_status: "pass" }, input: { checks } },
  ],
  [
    "review → done after a repair that the present checks revalidate",
    { beforeFields: { repair_applied: "yes", revalidation_status: "pending" }, input: { checks } },
  ],
  [
    "verify → review where every required scenario passed",
    {
      input: {
        checks: checkRun([check(), check({ name: "export", kind: "scenario" })]),
        policy: policy({ required_scenarios: ["export"] }),
      },
    },
  ],
  [
    "verify → review with a known feature that is now hidden",
    {
      lists: { features: [{ feature: "Export", label: "blocked_hidden", proof: "" }] },
      input: { checks, known_features: ["Export"] },
    },
  ],
  [
    "verify → review with a hidden feature whose proof does not hold",
    {
      lists: { features: [{ feature: "Export", label: "blocked_hidden", proof: "" }] },
      input: { checks, feature_proofs: [{ feature: "Export", problem: "no such file" }] },
    },
  ],
  [
    "review → done without the promise where the contract switched it off",
    { input: { checks, promise_seen: false, policy: policy({ completion_promise: null }) } },
  ],
  ["review → done with every step ticked", { input: { checks, steps: stepsAre([{ text: "a", done: true }]) } }],
  ["implement → blocked with Blockers filled", { fields: { blockers: "no key" } }],
  ["review → needs_user_decision with an open question", { input: { open_questions: ["Q1"] } }],
];
for (const [title, change] of passing)
  test(`${title} passes every gate`, () => assert.deepEqual(failures(title, change), []));

type FailingCase = readonly [title: string, change: Change, fails: readonly string[]];

const frameKeys = ["objective", "done_gate", "not_doing", "reality_constraints"] as const;
const frameFailures = frameKeys.flatMap((key): FailingCase[] => [
  [`intake → shape without ${key}`, { fields: { [key]: "TBD" } }, [`${key}_filled: reject`]],
  [`shape → implement without ${key}`, { fields: { [key]: "" } }, [`${key}_filled: reject`]],
]);

const failingCases: readonly FailingCase[] = [
  ...frameFailures,
  [
    "intake → shape where none stands for the objective",
    { fields: { objective: "none", done_gate: "none" } },
    ["objective_filled: reject", "done_gate_filled: reject"],
  ],
  ["shape → implement without a plan", { fields: { validation_plan: "?" } }, ["validation_plan_filled: reject"]],
  [
    "shape → implement of a user-facing task without a feature",
    { input: { policy: userFacing } },
    ["features_listed: reject"],
  ],
  [
    "shape → implement of a user-facing task with an odd label",
    { lists: { features: [row, { ...row, label: "works" }] }, input: { policy: userFacing } },
    ["feature_labels: reject"],
  ],
  ["implement → verify without a result", { fields: { current_result: "todo" } }, ["current_result_filled: reject"]],
  [
    "implement → verify with a problem at the Evidence location",
    { input: { evidence: { ...evidence, problem: "it is a link" } } },
    ["evidence_exists: reject"],
  ],
  [
    "implement → verify with no file at the Evidence location",
    { input: { evidence: { ...evidence, files: [] } } },
    ["evidence_exists: reject"],
  ],
  [
    "verify → review without any required validator",
    { input: { checks: checkRun([]), policy: policy({ required_validators: [] }) } },
    ["no_required_validator: reject"],
  ],
  ["verify → review where no check ran", {}, ["checks_ran: reject"]],
  [
    "verify → review where the run does not tell of a required validator",
    { input: { checks: checkRun([]) } },
    ["required_ran: reject"],
  ],
  [
    "verify → review where a scenario or an optional check has the name of a required validator",
    { input: { checks: checkRun([check({ kind: "scenario" }), check({ required: false })]) } },
    ["required_ran: reject"],
  ],
  [
    "verify → review where the run does not tell of a required scenario",
    { input: { checks, policy: policy({ required_scenarios: ["export"] }) } },
    ["required_ran: reject"],
  ],
  ...(["fail", "timeout", "not_started"] as const).map(
    (status): FailingCase => [
      `verify → review where a validator ended as ${status}`,
      { input: { checks: checkRun([failing({ status })]) } },
      ["validator_tests: redirect"],
    ],
  ),
  [
    "verify → review where only a scenario fails, broken before or not",
    {
      input: {
        checks: checkRun([check(), failing({ name: "export", kind: "scenario", attribution: "broken_before" })]),
      },
    },
    ["scenario_export: redirect"],
  ],
  [
    "verify → review where the checks moved the repo twice",
    { input: { checks: checkRun([check()], { attempts: 2, moved: ["a.snap"] }) } },
    ["checks_moved_repo: redirect"],
  ],
  [
    "verify → review where the fingerprint moved under the checks and unknown paths",
    { input: { checks: checkRun([check()], { fingerprint_before: "f0" }) } },
    ["checks_moved_repo: redirect"],
  ],
  [
    "verify → review where the repo changed after the checks",
    { input: { checks, fingerprint: codeIs("f2") } },
    ["checks_on_present_code: reject"],
  ],
  [
    "verify → review with an unknown feature",
    { lists: { features: [{ ...row, label: "unknown_do_not_show" }] }, input: { checks } },
    ["features_known: reject"],
  ],
  [
    "verify → review with a label that is none",
    { lists: { features: [{ ...row, label: "works" }] }, input: { checks } },
    ["feature_labels: reject"],
  ],
  [
    "verify → review with a real feature whose proof is missing",
    {
      lists: { features: [{ ...row, label: "real_read_only" }] },
      input: { checks, feature_proofs: [{ feature: "Export", problem: "no such file" }] },
    },
    ["features_proven: reject"],
  ],
  [
    "verify → review with a real feature that no proof was looked up for",
    { lists: { features: [row] }, input: { checks } },
    ["features_proven: reject"],
  ],
  [
    "verify → review where a feature row vanished",
    { input: { checks, known_features: ["Export"] } },
    ["features_kept: reject"],
  ],
  [
    "verify → review without a link",
    { input: { checks, evidence: { ...evidence, link_target: null, link_target_exists: false } } },
    ["evidence_link: reject"],
  ],
  [
    "verify → review with a link to nothing",
    { input: { checks, evidence: { ...evidence, link_target_exists: false } } },
    ["evidence_link: reject"],
  ],
  [
    "verify → review with an open finding of an earlier pass",
    { beforeLists: { findings: ["known"] }, lists: { findings: ["known"] }, input: { checks } },
    ["findings_closed: reject"],
  ],
  [
    "review → done with an open finding of an earlier pass",
    { beforeLists: { findings: ["old"] }, lists: { findings: ["old"] }, input: { checks } },
    ["findings_closed: reject"],
  ],
  ["verify → repair without a finding", {}, ["ticket_given: reject"]],
  ["review → repair with a blank finding", { lists: { findings: [""] } }, ["ticket_given: reject"]],
  ["review → done where no check ran", {}, ["checks_ran: reject"]],
  [
    "review → done where a validator fails",
    { input: { checks: checkRun([failing()]) } },
    ["validator_tests: redirect"],
  ],
  [
    "review → done where the code moved",
    { input: { checks, reviewed_fingerprint: "f0" } },
    ["review_kept_code: redirect"],
  ],
  [
    "review → done that nothing was verified for",
    { input: { checks, reviewed_fingerprint: null } },
    ["review_kept_code: redirect"],
  ],
  [
    "review → done without Candidate done",
    { fields: { candidate_done: "no" }, input: { checks } },
    ["candidate_done: reject"],
  ],
  [
    "review → done after a repair that was not revalidated, whatever the proposal claims",
    {
      beforeFields: { repair_applied: "yes", revalidation_status: "pending" },
      fields: { repair_applied: "no", revalidation_status: "pass" },
      input: { checks: null },
    },
    ["checks_ran: reject", "revalidated: reject"],
  ],
  ...["no key", "TBD", "-", "?"].map(
    (blockers): FailingCase => [
      `review → done with Blockers "${blockers}"`,
      { fields: { blockers }, input: { checks } },
      ["no_blockers: reject"],
    ],
  ),
  [
    "review → done with an open step",
    {
      input: {
        checks,
        steps: stepsAre([
          { text: "a", done: true },
          { text: "b", done: false },
        ]),
      },
    },
    ["steps_done: reject"],
  ],
  ["review → done without the promise", { input: { checks, promise_seen: false } }, ["promise: reject"]],
  ["repair → blocked with Blockers none", {}, ["blockers_filled: reject"]],
  ["shape → needs_user_decision without a question", {}, ["question_open: reject"]],
];
for (const [title, change, fails] of failingCases)
  test(`${title} fails that gate alone`, () => assert.deepEqual(failures(title, change), fails));

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
