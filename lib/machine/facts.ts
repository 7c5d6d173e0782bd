import type { evidenceFacts, reviewFinding, tamper } from "../shapes/facts.ts";
import type { facts, proposal } from "../shapes/pass-facts.ts";
import type { policy } from "../shapes/policy.ts";
import type { Shape } from "../text/shape.ts";
import type { StateView } from "./state-view.ts";
import type { severities } from "./words.ts";

/** One thing that must not change and did. */
export type Tamper = Shape<typeof tamper>;

/** The agent's proof under the Evidence location. */
export type EvidenceFacts = Shape<typeof evidenceFacts>;

export type FeatureProof = Facts["feature_proofs"][number];

/** A file under artifacts/ that a ticked item of TASKS.md names as its proof. */
export type StepProof = Facts["step_proofs"][number];

/** The history of the task before this pass. */
export type HistoryCounts = Facts["history"];

/**
 * Everything that a verdict depends on beside the two states and the policy, as plain JSON values: pass.json has them,
 * so that `check` can decide again. Nothing here is a clock, a handle or a function.
 */
export type Facts = Shape<typeof facts>;

/** The part of the contract and the configuration that a verdict depends on. */
export type Policy = Shape<typeof policy>;

/** The policy of a pass that no contract is known for. */
export const noPolicy: Policy = {
  user_facing: false,
  completion_promise: null,
  budget: { passes: 0, repairs: 0 },
  retries_per_failure: 0,
  required_validators: [],
  required_scenarios: [],
  tests_changed: "show",
  proof: { counter: "off", clean: "off" },
  required_held_out: [],
  approve: [],
  manual: [],
  bounds: { verify: { files: 0, lines: 0 }, repair: { files: 0, lines: 0 }, over: "show" },
  review: { reviewers: [], at: [] },
};

/** The facts that are also known of a person's edit, which no model made. */
export type KnownFacts = Omit<Facts, "pass" | "end" | "history">;

/** What is known where nothing was left behind. */
export const noFacts: Omit<KnownFacts, "fingerprint"> = {
  tampering: [],
  put_back: [],
  secrets: [],
  code_counts: true,
  reviewed_fingerprint: null,
  moved_since_review: [],
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
  reviews: [],
  watched: null,
  square: null,
  approvals: [],
  looks: [],
  promise_seen: false,
  promise_problem: null,
};

/** Where the task was before the pass: the last accepted STATE.md. */
export interface Before {
  readonly state: StateView;
}

/** The STATE.md that the agent left behind. */
export type Proposal = Shape<typeof proposal>;

export type Severity = (typeof severities)[number];

/** One thing that a reviewer found. */
export type ReviewFinding = Shape<typeof reviewFinding>;

/** A role of the contract and what it last said, for the gates. */
export type ReviewStanding = Facts["reviews"][number];
