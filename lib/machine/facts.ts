import type { ApprovePhase, FrameAnswer } from "./approval.ts";
import type { Bounds, ChangeSize } from "./bounds.ts";
import type { CheckRun } from "./check-run.ts";
import type { Failure } from "./decision.ts";
import type { LookAnswer, ManualScenario } from "./manual.ts";
import type { ModelEnd } from "./model-end.ts";
import type { ProofMode, SquareFacts } from "./square.ts";
import type { ListedItem, StateView } from "./state-view.ts";
import type { WatchedChange } from "./watched-change.ts";

/**
 * Everything that a verdict depends on, as plain JSON values. The same values are written to pass.json, so that
 * `check` can decide again. Keys are in snake_case for that reason. Nothing here is a clock, a handle or a function.
 * A new key, here or in an event, gets its line in `facts.ts`, `pass-record.ts` or `events.ts` of `lib/shapes`, which
 * the compiler asks for: what no schema reads, no reader takes.
 */

export const tamperChanges = ["added", "removed", "changed", "replaced"] as const;
export const tamperGuards = ["task_file", "runner_file", "config", "other_task", "protected", "git"] as const;
export const tamperers = ["model", "validators", "baseline", "reviewers"] as const;

/** One thing that must not change and did. */
export interface Tamper {
  /** Relative to the task folder or, for protected paths, to the repo. */
  readonly path: string;
  readonly change: (typeof tamperChanges)[number];
  /** The kind of path: used in messages and for tickets. */
  readonly guard: (typeof tamperGuards)[number];
  readonly by: (typeof tamperers)[number];
  /** False if it could not be restored, as with a deleted `.git`. */
  readonly restored: boolean;
  readonly detail: string | null;
}

/** The agent's proof under the Evidence location. */
export interface EvidenceFacts {
  readonly location: string;
  /** Why the location holds no proof; null if it does. */
  readonly problem: string | null;
  /** Non-empty regular files that no task-phase command wrote, relative to the task folder. */
  readonly files: readonly string[];
  /** The target of the Evidence link, relative to the task folder, and whether it exists. */
  readonly link_target: string | null;
  readonly link_target_exists: boolean;
}

export interface FeatureProof {
  readonly feature: string;
  /** Why the proof does not hold; null if it does or none is needed. */
  readonly problem: string | null;
}

/** A file under artifacts/ that a ticked item of TASKS.md names as its proof. */
export interface StepProof {
  /** The item's text, and its line in TASKS.md. */
  readonly text: string;
  readonly line: number;
  readonly path: string;
  /** Why the file proves nothing; null if it does. */
  readonly problem: string | null;
}

/** The history of the task before this pass. */
export interface HistoryCounts {
  /** Passes that count against the budget: all but unavailable and interrupted ones. */
  readonly passes: number;
  /** Moves into repair since the task was last opened. */
  readonly repairs: number;
  /** The failure that the newest passes ended with, and how often in a row. */
  readonly failure: Failure | null;
  readonly timeouts_in_row: number;
}

export interface Facts {
  /** The number of this pass. */
  readonly pass: number;
  readonly end: ModelEnd;
  readonly tampering: readonly Tamper[];
  /**
   * The three ledgers and SUMMARY.md, restored, and DECISIONS.md without the answers of its new questions: told, and no
   * reason against the pass.
   */
  readonly put_back: readonly Tamper[];
  /** Names of the token shapes found in the proposal. */
  readonly secrets: readonly string[];
  /**
   * Of the repo: before and after the model, and as it is when the verdict is made durable (null if no checks
   * ran, so that nothing depends on it).
   */
  readonly fingerprint: { readonly before: string; readonly after: string; readonly present: string | null };
  /** Whether a change of the repo is progress in this phase. */
  readonly code_counts: boolean;
  /** Fingerprint of the accepted verify → review; null if there is none. */
  readonly reviewed_fingerprint: string | null;
  /** Paths that differ from the reviewed fingerprint, if it moved and the paths are known. */
  readonly moved_since_review: readonly string[];
  /** Null if the proposal called for no checks. */
  readonly checks: CheckRun | null;
  readonly evidence: EvidenceFacts;
  readonly feature_proofs: readonly FeatureProof[];
  /** New or changed files under artifacts/ that the runner did not write. */
  readonly artifacts_changed: readonly string[];
  /** New rows in the agent's part of EVIDENCE.md. */
  readonly evidence_rows_added: readonly string[];
  /** Task files that the pass changed as it may: names, such as STATE.md. */
  readonly task_files_changed: readonly string[];
  /** Names of visible features that were accepted before and that no person took out. */
  readonly known_features: readonly string[];
  readonly steps: { readonly before: readonly ListedItem[]; readonly after: readonly ListedItem[] };
  /** Every proof that a ticked item of TASKS.md names. */
  readonly step_proofs: readonly StepProof[];
  /** How much the model changed in the repo; null in phases without bounds, and if it changed nothing. */
  readonly change: ChangeSize | null;
  /** Ids of the open questions in DECISIONS.md. */
  readonly open_questions: readonly string[];
  /** Those of them that the pass asked in a form that a person can answer. */
  readonly questions_asked: readonly string[];
  /** Every reviewer of the contract if reviews are due in this phase; empty: none is due. */
  readonly reviews: readonly ReviewStanding[];
  /** The differences from pass 1 in tests and in what the checks run; null if nothing is watched yet. */
  readonly watched: readonly WatchedChange[] | null;
  /** The result of the proof square; null if it was not due. */
  readonly square: SquareFacts | null;
  /** What a person said about frames. */
  readonly approvals: readonly FrameAnswer[];
  /** What a person answered about manual scenarios of the contract, on any code. */
  readonly looks: readonly LookAnswer[];
  /** The model's final text gives the promise of the contract. */
  readonly promise_seen: boolean;
  /** Why it does not; null: it does, or the contract has none. */
  readonly promise_problem: string | null;
  readonly history: HistoryCounts;
}

/** The part of the contract and the configuration that a verdict depends on. */
export interface Policy {
  readonly user_facing: boolean;
  readonly completion_promise: string | null;
  readonly budget: { readonly passes: number; readonly repairs: number };
  readonly retries_per_failure: number;
  /** Names of the required validators of the contract. */
  readonly required_validators: readonly string[];
  /** Names of its required scenarios. */
  readonly required_scenarios: readonly string[];
  /** Whether a changed check or a weakened test asks a person or is only shown. */
  readonly tests_changed: "block" | "show";
  /** The cells of the proof square that are judged. */
  readonly proof: { readonly counter: ProofMode; readonly clean: ProofMode };
  /** Names of its required held-out scenarios. */
  readonly required_held_out: readonly string[];
  /** Where a person is asked before the work goes on. */
  readonly approve: readonly ApprovePhase[];
  /** The scenarios that a person plays before `done`. */
  readonly manual: readonly ManualScenario[];
  /** How much a pass may change in verify and in repair. */
  readonly bounds: Bounds;
  /** Who reviews, and in which phases. */
  readonly review: { readonly reviewers: readonly string[]; readonly at: readonly ("shape" | "review")[] };
}

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
export type Proposal =
  | { readonly kind: "read"; readonly state: StateView }
  | { readonly kind: "unreadable"; readonly problems: readonly string[] };

export const severities = ["blocking", "major", "minor", "note"] as const;
export type Severity = (typeof severities)[number];

/** One thing that a reviewer found. */
export interface ReviewFinding {
  readonly severity: Severity;
  /** One paragraph, redacted, at most 2,000 characters. */
  readonly text: string;
}

/** A role of the contract and what it last said, for the gates. */
export interface ReviewStanding {
  readonly role: string;
  /** The report is about the code (and, in shape, the accepted STATE.md) of now. */
  readonly current: boolean;
  readonly problem: string | null;
  readonly findings: readonly ReviewFinding[];
}
