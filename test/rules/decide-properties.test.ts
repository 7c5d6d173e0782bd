import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CheckResult } from "../../lib/rules/check-run.ts";
import { decide } from "../../lib/rules/decide.ts";
import type { Before, Facts, Policy, Proposal, Tamper } from "../../lib/rules/facts.ts";
import { noFacts, noPolicy } from "../../lib/rules/facts.ts";
import type { ModelEnd } from "../../lib/rules/model-end.ts";
import { type Phase, phaseNames, phases } from "../../lib/rules/phases.ts";
import type { StateView } from "../../lib/rules/state-view.ts";
import { deepFreeze, notInCopies, stateAt } from "./arrange.ts";

/** Mostly the value with which a gate holds, now and then another: else almost no random facts would pass any gate. */
function mostly<T>(good: T, ...bad: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.constantFrom(...bad) });
}

const fingerprint = mostly("f1", "f2");
const text = fc.constantFrom("the export streams", "", "none", "TBD");
const words = fc.subarray(["a", "b", "c"]);
const status = fc.constantFrom("pending", "pass", "fail");
const proof = "artifacts/run.log";

const state = (phase: fc.Arbitrary<Phase>): fc.Arbitrary<StateView> =>
  fc
    .record({
      phase,
      fields: fc.record({
        objective: mostly("Stream it", "", "none"),
        current_result: text,
        blockers: mostly("none", "", "no key", "TBD"),
        candidate_done: mostly("yes", "no"),
        validator_status: status,
        repair_applied: fc.constantFrom("yes", "no"),
        revalidation_status: mostly("pass", "pending", "fail"),
      }),
      features: fc.array(
        fc.record({
          feature: fc.constantFrom("Export", "Import"),
          label: mostly("real_working", "real_read_only", "blocked_hidden", "unknown_do_not_show", "works"),
          proof: fc.constant(proof),
        }),
        { maxLength: 2 },
      ),
      risks: fc.array(fc.record({ text: fc.constant("slow"), done: fc.boolean() }), { maxLength: 1 }),
      findings: mostly<readonly string[]>([], ["a"], ["a", "b"]),
      closed_findings: mostly<readonly string[]>(["a", "b"], ["a"], []),
      notes: fc.constant([]),
    })
    .map(({ phase: at, fields, ...lists }) => stateAt(at, fields, lists));

const end: fc.Arbitrary<ModelEnd> = mostly<ModelEnd>(
  { kind: "exited", exit_code: 0, signal: null, result_event: true },
  { kind: "exited", exit_code: 0, signal: null, result_event: false },
  { kind: "exited", exit_code: null, signal: "SIGKILL", result_event: false },
  { kind: "timed_out", timeout_ms: 1000 },
  { kind: "not_started", reason: "ENOENT" },
  { kind: "limited", cause: "rate_limit", reason: "429", until: null },
  { kind: "auth_failed", reason: "log in" },
  { kind: "interrupted", reason: "SIGTERM", cause: "signal" },
  { kind: "withheld", reason: "the brief changed" },
);

const checkResult: fc.Arbitrary<CheckResult> = fc.record({
  name: mostly("tests", "lint"),
  kind: mostly<CheckResult["kind"]>("validator", "scenario"),
  required: mostly(true, false),
  command: fc.constant(["npm", "test"]),
  status: mostly<CheckResult["status"]>("pass", "fail", "timeout", "not_started"),
  exit_code: fc.constantFrom(0, 1, null),
  signal: fc.constant(null),
  duration_ms: fc.nat(100),
  attribution: fc.constantFrom(null, "clean", "broken_before"),
  log: fc.constant("t.log"),
  excerpt: fc.string(),
});

const tampering: fc.Arbitrary<readonly Tamper[]> = mostly<readonly Tamper[]>(
  [],
  [{ path: "README.md", change: "changed", guard: "task_file", by: "model", restored: true, detail: null }],
  [{ path: "a.test.ts", change: "removed", guard: "protected", by: "validators", restored: false, detail: "mode" }],
);

/** Each value of an object as it is. */
function constants<Values extends object>(values: Values) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fc.constant(value)])) as {
    [Key in keyof Values]: fc.Arbitrary<Values[Key]>;
  };
}

const someFacts: fc.Arbitrary<Facts> = fc
  .record({
    ...constants(noFacts),
    pass: fc.nat(12),
    end,
    tampering,
    secrets: mostly<readonly string[]>([], ["github"]),
    fingerprint: fc.record({
      before: fingerprint,
      after: fingerprint,
      present: mostly<string | null>("f1", "f2", null),
    }),
    reviewed_fingerprint: mostly<string | null>("f1", "f2", null),
    moved_since_review: words,
    checks: fc.option(
      fc.record({
        fingerprint_before: fingerprint,
        fingerprint_after: fingerprint,
        attempts: fc.constantFrom(1, 2),
        moved: mostly<readonly string[]>([], ["a.snap"]),
        results: fc.array(checkResult, { maxLength: 3 }),
      }),
      { freq: 8 },
    ),
    evidence: fc.record({
      location: fc.constant("artifacts/"),
      problem: mostly<string | null>(null, "it is a link"),
      files: mostly<readonly string[]>([proof], []),
      link_target: mostly<string | null>(proof, null),
      link_target_exists: mostly(true, false),
    }),
    feature_proofs: fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constant([
          { feature: "Export", problem: null },
          { feature: "Import", problem: null },
        ]),
      },
      {
        weight: 1,
        arbitrary: fc.array(
          fc.record({ feature: fc.constant("Export"), problem: fc.constantFrom(null, "no such file") }),
          { maxLength: 1 },
        ),
      },
    ),
    artifacts_changed: words,
    evidence_rows_added: words,
    task_files_changed: mostly<readonly string[]>(["STATE.md"], []),
    known_features: mostly<readonly string[]>([], ["Export"], ["Gone"]),
    steps: fc.record({
      before: fc.constant([{ text: "a", done: false }]),
      after: fc.array(fc.record({ text: fc.constant("a"), done: mostly(true, false) }), { maxLength: 1 }),
    }),
    open_questions: words,
    promise_seen: mostly(true, false),
    history: fc.record({
      passes: fc.nat(12),
      repairs: fc.nat(6),
      failure: fc.option(
        fc.record({ signature: fc.constantFrom("no_progress", "x"), count: fc.nat(4), passes: fc.constant([]) }),
      ),
      timeouts_in_row: fc.nat(4),
    }),
  })
  .map((facts) => ({ ...facts, matrix: notInCopies(facts.checks) }));

const somePolicy: fc.Arbitrary<Policy> = fc.record({
  ...constants(noPolicy),
  user_facing: fc.boolean(),
  completion_promise: fc.constantFrom("COMPLETE", null),
  budget: fc.constant({ passes: 12, repairs: 5 }),
  retries_per_failure: fc.constantFrom(0, 2),
  required_validators: mostly<readonly string[]>(["tests"], [], ["tests", "lint"]),
  required_scenarios: mostly<readonly string[]>([], ["export"]),
});

type Case = readonly [Before, Proposal, Facts, Policy];

const someCase = (from: fc.Arbitrary<Phase>, to: fc.Arbitrary<Phase>): fc.Arbitrary<Case> =>
  fc.tuple(
    fc.record({ state: state(from) }),
    fc.oneof(
      { weight: 12, arbitrary: fc.record({ kind: fc.constant("read" as const), state: state(to) }) },
      { weight: 1, arbitrary: fc.constant({ kind: "unreadable" as const, problems: ["no field list"] }) },
    ),
    someFacts,
    somePolicy,
  );

const anyPhase = fc.constantFrom(...phaseNames);
const anyCase = fc.oneof(
  someCase(anyPhase, anyPhase),
  someCase(fc.constantFrom("review", "verify"), fc.constantFrom("review", "done")),
);

/**
 * The gates of done as the contract words them, written a second time without a look at the code under test. That a
 * repair was revalidated needs no line: the checks of this very pass are that, since they must hold.
 */
function mayBeDone([from, proposed, seen, rules]: Case): boolean {
  if (proposed.kind !== "read" || from.state.phase !== "review" || proposed.state.phase !== "done") return false;
  const { checks } = seen;
  const { fields, features, findings, closed_findings: closed } = proposed.state;
  const happened = seen.end.kind === "exited";
  const untouched = seen.tampering.length === 0 && seen.secrets.length === 0;
  const ran = (name: string) =>
    checks?.results.some(
      (each) => each.name === name && each.kind === "validator" && each.required && each.status === "pass",
    );
  const validated =
    checks !== null &&
    rules.required_validators.length > 0 &&
    rules.required_validators.every(ran) &&
    rules.required_scenarios.every((name) =>
      checks.results.some((each) => each.name === name && each.kind === "scenario" && each.required),
    ) &&
    checks.results.every((each) => !each.required || each.status === "pass") &&
    checks.moved.length === 0 &&
    checks.fingerprint_before === checks.fingerprint_after;
  const labels = ["real_working", "real_read_only", "blocked_hidden"];
  const featuresTrue =
    features.every((row) => labels.includes(row.label)) &&
    features.every(
      (row) =>
        row.label === "blocked_hidden" ||
        seen.feature_proofs.some((each) => each.feature === row.feature && each.problem === null),
    ) &&
    seen.known_features.every((known) => features.some((row) => row.feature === known));
  return (
    happened &&
    untouched &&
    validated &&
    featuresTrue &&
    seen.evidence.link_target !== null &&
    seen.evidence.link_target_exists &&
    checks.fingerprint_after === seen.reviewed_fingerprint &&
    [null, seen.reviewed_fingerprint].includes(seen.fingerprint.present) &&
    fields.candidate_done === "yes" &&
    ["", "none"].includes(fields.blockers) &&
    seen.steps.after.every((step) => step.done) &&
    findings.length === 0 &&
    from.state.findings.every((finding) => closed.includes(finding)) &&
    (rules.completion_promise === null || seen.promise_seen)
  );
}

test("decide never changes its arguments, and says the same each time", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const args = deepFreeze(given);
      assert.deepEqual(decide(...args), decide(...args));
    }),
    { numRuns: 400 },
  );
});

test("arguments that went through JSON give the same decision, and so does the decision", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const decision = decide(...given);
      assert.deepEqual(decide(...(JSON.parse(JSON.stringify(given)) as Case)), decision);
      assert.deepEqual(JSON.parse(JSON.stringify(decision)), decision);
    }),
    { numRuns: 400 },
  );
});

test("no facts give done but those with which every gate of done holds, and those do", () => {
  let done = 0;
  fc.assert(
    fc.property(
      someCase(fc.constantFrom("review", "review", "verify", "implement"), fc.constantFrom("done", "done", "review")),
      (given) => {
        const decision = decide(...given);
        const became = decision.to === "done";
        if (became) done++;
        assert.equal(became, mayBeDone(given));
        if (became)
          assert.deepEqual([decision.verdict, decision.escalation, decision.exit_name], ["accepted", null, "ok"]);
      },
    ),
    { numRuns: 3000 },
  );
  assert.ok(done > 50, `only ${done} random cases were done; the property says too little`);
});

test("a pass lands where it stood, where the table lets it go, in repair by redirect, or where an escalation leads", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const { from, to, proposed, verdict, escalation } = decide(...given);
      if (escalation !== null) {
        assert.equal(to, escalation.to);
        assert.ok(
          to === from || ((to === "blocked" || to === "needs_user_decision") && phases[from].next.includes(to)),
        );
      } else if (verdict === "redirected") {
        assert.ok(to === "repair" && (from === "verify" || from === "review"));
      } else if (verdict === "accepted") {
        assert.ok(to === proposed && (to === from || phases[from].next.includes(to)));
      } else {
        assert.equal(to, from);
      }
    }),
    { numRuns: 1500 },
  );
});

test("a verdict follows from the first reason, and every decision to repair carries a ticket", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const { verdict, reasons, reason, tickets, from, to, failure } = decide(...given);
      assert.equal(verdict === "accepted", reasons.length === 0);
      if (reasons[0] !== undefined) assert.equal(reason, reasons[0].text);
      if (to === "repair" && from !== "repair") assert.ok(tickets.length > 0);
      assert.equal(failure === null, ["accepted", "unavailable", "interrupted"].includes(verdict));
    }),
    { numRuns: 1500 },
  );
});

test("a terminal phase is never left by a pass", () => {
  fc.assert(
    fc.property(someCase(fc.constantFrom("done", "blocked", "needs_user_decision"), anyPhase), (given) => {
      const { from, to, verdict } = decide(...given);
      assert.deepEqual([to, verdict === "accepted"], [from, false]);
    }),
    { numRuns: 300 },
  );
});
