import type { CheckResult, CheckRun } from "../../lib/rules/check-run.ts";
import type { Decision } from "../../lib/rules/decision.ts";
import type { ReviewedEvent, TaskEvent } from "../../lib/rules/events.ts";
import {
  type Before,
  type Facts,
  type HistoryCounts,
  noFacts,
  noPolicy,
  type Policy,
  type Proposal,
  type Tamper,
} from "../../lib/rules/facts.ts";
import type { GateInput } from "../../lib/rules/gate.ts";
import type { MatrixFacts } from "../../lib/rules/matrix.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { FieldValues, StateView } from "../../lib/rules/state-view.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";

/** A STATE.md in which every field is well filled and nothing stands in the way. */
export function stateAt(
  phase: Phase,
  fields: Partial<FieldValues> = {},
  lists: Partial<Omit<StateView, "phase" | "fields">> = {},
): StateView {
  return {
    phase,
    fields: {
      phase,
      status: "at work",
      objective: "Stream the CSV export",
      done_gate: "npm test passes",
      not_doing: "none",
      reality_constraints: "none",
      validation_plan: "npm test",
      current_result: "the export streams",
      next_step: "verify it",
      blockers: "none",
      evidence_location: "`artifacts/`",
      evidence_link: "",
      candidate_done: "yes",
      validator_status: "pending",
      repair_applied: "no",
      revalidation_status: "pending",
      last_updated: "2026-01-02T03:04:05Z",
      ...fields,
    },
    risks: [],
    features: [],
    findings: [],
    closed_findings: [],
    notes: [],
    ...lists,
  };
}

export function before(phase: Phase, fields: Partial<FieldValues> = {}, lists: Partial<StateView> = {}): Before {
  return { state: stateAt(phase, fields, lists) };
}

export function proposal(phase: Phase, fields: Partial<FieldValues> = {}, lists: Partial<StateView> = {}): Proposal {
  return { kind: "read", state: stateAt(phase, fields, lists) };
}

/** A pass that ended well, changed nothing in the repo, and met no obstacle. */
export function facts(overrides: Partial<Facts> = {}): Facts {
  return {
    ...noFacts,
    pass: 1,
    end: { kind: "exited", exit_code: 0, signal: null, result_event: true },
    fingerprint: { before: "f1", after: "f1", present: null },
    reviewed_fingerprint: "f1",
    matrix: notInCopies(overrides.checks ?? null),
    evidence: {
      location: "artifacts/",
      problem: null,
      files: ["artifacts/run.log"],
      link_target: "artifacts/run.log",
      link_target_exists: true,
    },
    promise_seen: true,
    history: counts(),
    ...overrides,
  };
}

/** The matrix of checks that ran, for a contract that wants no copy. */
export function notInCopies(checks: CheckRun | null): MatrixFacts | null {
  if (checks === null) return null;
  const none = { clean: null, old_checks: null, without: null, no_old_checks: null, no_without: null };
  return {
    fingerprint: checks.fingerprint_after,
    calibration: { kind: "none", reason: "off", home: null },
    changed_checks: [],
    ...none,
    no_clean: "`proof.clean` is off",
    left_out: [],
    only_own_fail: false,
    unseparated: null,
    wrong: null,
    wrong_checks: null,
    no_wrong: null,
    unsteady: [],
    written: [],
  };
}

export function counts(overrides: Partial<HistoryCounts> = {}): HistoryCounts {
  return { passes: 1, repairs: 0, failure: null, timeouts_in_row: 0, ...overrides };
}

export function policy(overrides: Partial<Policy> = {}): Policy {
  return {
    ...noPolicy,
    completion_promise: "COMPLETE",
    budget: { passes: 12, repairs: 5 },
    retries_per_failure: 2,
    required_validators: ["tests"],
    ...overrides,
  };
}

export function check(overrides: Partial<CheckResult> = {}): CheckResult {
  return {
    name: "tests",
    kind: "validator",
    required: true,
    command: ["npm", "test"],
    status: "pass",
    exit_code: 0,
    signal: null,
    duration_ms: 12,
    attribution: "clean",
    log: "artifacts/passes/0001/validators/tests.log",
    excerpt: "ok",
    ...overrides,
  };
}

export function failing(overrides: Partial<CheckResult> = {}): CheckResult {
  return check({ status: "fail", exit_code: 1, attribution: "regressed", excerpt: "1 failing", ...overrides });
}

export function checkRun(results: readonly CheckResult[] = [check()], overrides: Partial<CheckRun> = {}): CheckRun {
  return { fingerprint_before: "f1", fingerprint_after: "f1", attempts: 1, moved: [], results, ...overrides };
}

export function tamper(overrides: Partial<Tamper> = {}): Tamper {
  return {
    path: "README.md",
    change: "changed",
    guard: "task_file",
    by: "model",
    restored: true,
    detail: null,
    ...overrides,
  };
}

export function gateInput(from: StateView, to: StateView, overrides: Partial<GateInput> = {}): GateInput {
  return {
    ...facts(),
    before: from,
    state: to,
    matrix: notInCopies(overrides.checks ?? null),
    policy: policy(),
    ...overrides,
  };
}

/** The codes of the reasons, in the order of judgement. */
export function codes(decision: Decision): string[] {
  return decision.reasons.map((reason) => reason.code);
}

/** The same value with every object and list in it frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** The code is this now. */
export function codeIs(present: string): Facts["fingerprint"] {
  return { before: present, after: present, present };
}

/** The items of TASKS.md, before and now. */
export function stepsAre(after: Facts["steps"]["after"]): Facts["steps"] {
  return { before: [], after };
}

/** A pass that began as usual. */
export function passStarted(
  pass: number,
  overrides: Partial<Extract<TaskEvent, { type: "pass_started" }>> = {},
): Extract<TaskEvent, { type: "pass_started" }> {
  return {
    ...{ type: "pass_started", at: "2026-01-02T03:04:05.000Z", pass, phase: "implement", model: "mine" },
    ...{ estimate_usd: null, prompt_sha256: "", fingerprint: "f1", run: null, timeout_ms: 1_800_000 },
    ...{ tier: "default", degrade: [], ...overrides },
  };
}

/** Checks before the work that no clean copy was compared with. */
export function beforeEvent(
  results: readonly CheckResult[],
  overrides: Partial<Extract<TaskEvent, { type: "before" }>> = {},
): Extract<TaskEvent, { type: "before" }> {
  return { ...{ type: "before", at: "2026-01-02T03:04:05.000Z", fingerprint: "f1", results }, ...overrides };
}

/** A review without a finding. */
export function reported(overrides: Partial<ReviewedEvent> = {}): ReviewedEvent {
  return {
    type: "reviewed",
    at: "2026-01-02T03:04:05Z",
    pass: 4,
    phase: "review",
    role: "tests",
    fingerprint: "f1",
    frame: "F",
    problem: null,
    findings: [],
    model: "m",
    estimate_usd: null,
    end: { kind: "exited", exit_code: 0, signal: null, result_event: true },
    duration_ms: 1,
    cost_usd: null,
    tokens: { input: null, output: null },
    ...overrides,
  };
}

/** A verdict as the journal has it; accepted, and with no trouble, but where the fields say otherwise. */
export function verdictEvent(
  from: Phase,
  to: Phase,
  { state, contract }: { readonly state: string; readonly contract: string },
  fields: Partial<VerdictEvent> = {},
): VerdictEvent {
  return {
    type: "verdict",
    at: "2026-01-02T03:04:05.000Z",
    pass: 1,
    model: "prepared",
    from,
    proposed: to,
    to,
    verdict: "accepted",
    reason: `${from} → ${to}`,
    reasons: [],
    gates: [],
    progress: ["state_change"],
    made: [],
    tickets: [],
    failure: null,
    escalation: null,
    checks: null,
    fingerprint: { before: "f1", after: "f1", present: null },
    end: { kind: "exited", exit_code: 0, signal: null, result_event: true },
    answer: null,
    duration_ms: 1,
    cost_usd: null,
    tokens: { input: null, output: null },
    overridden: [],
    tampering: [],
    put_back: [],
    evidence: { location: "artifacts/", problem: null, files: [], link_target: null, link_target_exists: false },
    changed_paths: [],
    open_questions: [],
    watched: null,
    matrix: null,
    proof: null,
    manual: [],
    tests_changed: "block",
    frame: null,
    over_bounds: null,
    code: null,
    features: [],
    state,
    contract_sha256: contract,
    record_sha256: "0".repeat(64),
    ...fields,
  };
}
