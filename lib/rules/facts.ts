import type { Shape } from "../text/shape.ts";
import { type ManualStanding, standManual } from "./manual.ts";
import type { evidenceFacts, reviewFinding, tamper } from "./shapes/facts.ts";
import type { facts, proposal } from "./shapes/pass-facts.ts";
import type { policy } from "./shapes/policy.ts";
import type { StateView } from "./state-view.ts";
import type { severities } from "./words.ts";

export type Tamper = Shape<typeof tamper>;

export type EvidenceFacts = Shape<typeof evidenceFacts>;

export type FeatureProof = Facts["feature_proofs"][number];

/** A file under artifacts/ that proves a ticked item of TASKS.md. */
export type StepProof = Facts["step_proofs"][number];

/** Before this pass. */
export type HistoryCounts = Facts["history"];

/** All that a verdict depends on beside the states and the policy, as plain JSON: no clock, handle or function. */
export type Facts = Shape<typeof facts>;

export type Policy = Shape<typeof policy>;

export const noPolicy: Policy = {
  user_facing: false,
  completion_promise: null,
  budget: { passes: 0, repairs: 0 },
  retries_per_failure: 0,
  required_validators: [],
  required_scenarios: [],
  tests_changed: "show",
  proof: { without: "off", clean: "off", wrong: "off" },
  required_held_out: [],
  approve: [],
  manual: [],
  bounds: { verify: { files: 0, lines: 0 }, repair: { files: 0, lines: 0 }, over: "show" },
  review: { reviewers: [], at: [] },
};

/** Also known of a person's edit. */
export type KnownFacts = Omit<Facts, "pass" | "end" | "history">;

export const noFacts: Omit<KnownFacts, "fingerprint"> = {
  tampering: [],
  put_back: [],
  secrets: [],
  code_counts: true,
  reviewed_fingerprint: null,
  moved_since_review: [],
  moved_by_person: false,
  checks: null,
  evidence: { location: "", problem: null, files: [], link_target: null, link_target_exists: false },
  feature_proofs: [],
  artifacts_changed: [],
  evidence_rows_added: [],
  task_files_changed: [],
  known_features: [],
  steps: { before: [], after: [] },
  step_proofs: [],
  change: null,
  open_questions: [],
  questions_asked: [],
  question_problems: [],
  brief_unanswered: null,
  reviews: [],
  watched: null,
  matrix: null,
  approvals: [],
  manual_answers: [],
  promise_seen: false,
  promise_problem: null,
};

export interface Before {
  readonly state: StateView;
}

export type Proposal = Shape<typeof proposal>;

export type Severity = (typeof severities)[number];

export type ReviewFinding = Shape<typeof reviewFinding>;

export type ReviewStanding = Facts["reviews"][number];

/** The newest that was taken: at the end of the pass, after the checks, or after the model. */
export function standingFingerprint({ fingerprint, checks }: Pick<KnownFacts, "fingerprint" | "checks">): string {
  return fingerprint.present ?? checks?.fingerprint_after ?? fingerprint.after;
}

export function manualAt(facts: KnownFacts, policy: Policy): ManualStanding[] {
  return standManual(policy.manual, facts.manual_answers, standingFingerprint(facts));
}
