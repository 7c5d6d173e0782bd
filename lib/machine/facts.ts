import type { Phase } from "./phases.ts";
import type { Proof, ProofMode, SquareFacts } from "./square.ts";
import type { ListedItem, StateView } from "./state-view.ts";

/**
 * Everything that a verdict depends on, as plain JSON values. The same values are written to pass.json, so that
 * `check` can decide again. Keys are in snake_case for that reason. Nothing here is a clock, a handle or a function.
 * A new key, here or in an event, gets its line in `fact-schemas.ts`, `record-schema.ts` or `event-schemas.ts` of
 * `lib/task-folder`, which the compiler asks for: what no schema reads, no reader takes.
 */

export const limitCauses = ["rate_limit", "quota", "overloaded"] as const;
export const interruptCauses = ["signal", "abort", "skip"] as const;

/** How the model's process ended. */
export type ModelEnd =
  | {
      readonly kind: "exited";
      readonly exit_code: number | null;
      readonly signal: string | null;
      readonly result_event: boolean;
      /**
       * The program's own last error in one line, redacted and shortened; null where it said nothing. Missing where it
       * ended well, and in records of an earlier version.
       */
      readonly said?: string | null;
    }
  /** `role`: it was a reviewer that did not end, and the model itself was not called. */
  | { readonly kind: "timed_out"; readonly timeout_ms: number; readonly role?: string }
  | { readonly kind: "not_started"; readonly reason: string }
  | {
      readonly kind: "limited";
      /** What the provider said no with: too fast, nothing left to spend, or no capacity. */
      readonly cause: (typeof limitCauses)[number];
      readonly reason: string;
      /** When the provider says it ends, ISO 8601 in UTC; null where it does not say. */
      readonly until: string | null;
    }
  | { readonly kind: "auth_failed"; readonly reason: string }
  | {
      readonly kind: "interrupted";
      readonly reason: string;
      /** A person's ABORT or SKIP in CONTROL.md, or (also where it is missing) a signal or a crash. */
      readonly cause?: (typeof interruptCauses)[number];
    }
  /** The runner did not get to the model, since something that must not change had changed before. */
  | { readonly kind: "withheld"; readonly reason: string };

export const tamperChanges = ["added", "removed", "changed", "replaced"] as const;
export const tamperGuards = ["task_file", "runner_file", "config", "other_task", "protected", "git"] as const;
export const tamperers = ["model", "validators", "baseline", "reviewers"] as const;

/** One thing that must not change and did. */
export interface Tamper {
  /** Relative to the task folder or, for protected paths, to the repo. */
  readonly path: string;
  readonly change: (typeof tamperChanges)[number];
  /** What the path is: used in messages and for tickets. */
  readonly guard: (typeof tamperGuards)[number];
  readonly by: (typeof tamperers)[number];
  /** False where it could not be put back, as with a deleted `.git`. */
  readonly restored: boolean;
  readonly detail: string | null;
}

export const checkStatuses = ["pass", "fail", "timeout", "not_started"] as const;
export type CheckStatus = (typeof checkStatuses)[number];
export const attributions = ["clean", "regressed", "fixed", "broken_before"] as const;
export type Attribution = (typeof attributions)[number];

/** What a check's own output says of its tests. */
export interface TestCounts {
  /** Tests that came to a result: passed or failed. */
  readonly ran: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What one validator or scenario did. */
export interface CheckResult {
  readonly name: string;
  readonly kind: "validator" | "scenario";
  readonly required: boolean;
  /** The words that were run, redacted; missing in journals of an earlier version. */
  readonly command?: readonly string[];
  readonly status: CheckStatus;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly duration_ms: number;
  readonly attribution: Attribution | null;
  /** Relative to the task folder. */
  readonly log: string;
  /** The last lines of its output, redacted, at most 2,000 characters. */
  readonly excerpt: string;
  /** The counts of its tests, where its output has any; missing: none, or an earlier version. */
  readonly tests?: TestCounts;
  /** True for a held-out check, which runs in clean copies alone; missing otherwise. */
  readonly held_out?: true;
  /** Which expectation of the contract it missed, though it ended well: its status is `fail` then. */
  readonly unmet?: string;
}

/** One run of the whole set. */
export interface CheckRun {
  readonly fingerprint_before: string;
  readonly fingerprint_after: string;
  /** 2 where the fingerprint moved under the first run. */
  readonly attempts: number;
  /** The paths that moved under the last run; empty where it stood still. */
  readonly moved: readonly string[];
  /** A required check failed at the first attempt, so that no second one was made; missing: none did. */
  readonly failed_first?: true;
  readonly results: readonly CheckResult[];
}

/**
 * `file`: what only `watched` of the contract names. `count`: how many tests a check ran. `mark`: a line of the work
 * that can end or patch a test process, or silences a tool.
 */
export const watchedKinds = ["test", "file", "script", "setting", "executable", "check_file", "count", "mark"] as const;
export type WatchedKind = (typeof watchedKinds)[number];

/** `deleted`, `skipped`, `weakened` and `moved` were written by earlier versions alone. */
export const watchedChanges = [
  "added",
  "changed",
  "removed",
  "installed",
  "fewer",
  "deleted",
  "skipped",
  "weakened",
  "moved",
] as const;

/** Something watched that differs from what it was at pass 1. */
export interface WatchedChange {
  /**
   * What changed: a repo path, `../` and a name above the repo, a part of a file as `package.json#scripts.test`, or the
   * absolute path of an executable outside the repo.
   */
  readonly name: string;
  readonly kind: WatchedKind;
  /**
   * `installed`: an executable that appeared by an unchanged lockfile. `fewer`: of a count; `changed` of
   * a count: its check passed although its output tells of failed tests. A mark is `changed` if it can patch what tests
   * rely on, or end a test process while the counts of tests are in doubt, else `added`. Earlier versions, which
   * compared tests by their words, also wrote `deleted`, `skipped`, `weakened` and `moved`.
   */
  readonly change: (typeof watchedChanges)[number];
  /** One line: what is different. */
  readonly detail: string;
  /** Of what is there now, so that an answer holds for exactly this; `gone` if nothing is. */
  readonly digest: string;
  /**
   * `checks`: a file of the checks' side, which a clean copy can hold as at pass 1. `outside`: what no copy can hold as
   * it was, since it is outside the repo or git ignores it, or an executable. Missing: written by an earlier version.
   */
  readonly side?: "checks" | "outside";
  /** What was said to exactly this digest. */
  readonly answer: "accepted" | "refused" | null;
  /** `brief`: `tests_may_change` of the contract accepted it beforehand. Missing: a person answered. */
  readonly answer_by?: "brief";
}

/** The agent's proof under the Evidence location. */
export interface EvidenceFacts {
  readonly location: string;
  /** Why the location holds no proof; null where it does. */
  readonly problem: string | null;
  /** Non-empty regular files that no task-phase command wrote, relative to the task folder. */
  readonly files: readonly string[];
  /** What the Evidence link points to, relative to the task folder, and whether it is there. */
  readonly link_target: string | null;
  readonly link_target_exists: boolean;
}

export interface FeatureProof {
  readonly feature: string;
  /** Why the proof does not hold; null where it does or none is needed. */
  readonly problem: string | null;
}

/** The same failure in a row. */
export interface Failure {
  readonly signature: string;
  readonly count: number;
  /** The numbers of the newest passes that ended so, where they were recorded. */
  readonly passes?: readonly number[];
}

/** What the journal says about the task so far, before this pass. */
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
  readonly pass?: number;
  readonly end: ModelEnd;
  readonly tampering: readonly Tamper[];
  /** The three ledgers and SUMMARY.md, changed and put back: told, and no reason against the pass. */
  readonly put_back?: readonly Tamper[];
  /** Names of the token shapes found in the proposal. */
  readonly secrets: readonly string[];
  /**
   * Of the repo: before and after the model, and as it stands when the verdict is made durable (null where no checks
   * ran, so that nothing depends on it).
   */
  readonly fingerprint: { readonly before: string; readonly after: string; readonly present: string | null };
  /** That of the accepted verify → review; null where there is none. */
  readonly reviewed_fingerprint: string | null;
  /** Paths that differ from the reviewed fingerprint, where it moved and the paths are known. */
  readonly moved_since_review: readonly string[];
  /** Null where the proposal called for no checks. */
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
  /** Ids of the open questions in DECISIONS.md. */
  readonly open_questions: readonly string[];
  /** Every reviewer of the contract where reviews are due in this phase; empty or missing: none is due. */
  readonly reviews?: readonly ReviewStanding[];
  /** What differs from pass 1 of tests and of what the checks run; missing where nothing is watched yet. */
  readonly watched?: readonly WatchedChange[];
  /** What the proof square showed; missing if it was not due, and in records of an earlier version. */
  readonly square?: SquareFacts;
  /** The model's final text gives the promise of the contract. */
  readonly promise_seen: boolean;
  /** Why it does not; null: it does. Missing in records of an earlier version, which took the last line alone. */
  readonly promise_problem?: string | null;
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
  /** What a changed check or a weakened test does: asks a person, or is only shown. Missing: shown. */
  readonly tests_changed?: "block" | "show";
  /** A finding that the proposing pass itself added holds `done`; missing: an earlier version, where it did not. */
  readonly findings_hold?: true;
  /** Which cells of the proof square are judged; missing in records of an earlier version: none. */
  readonly proof?: { readonly counter: ProofMode; readonly clean: ProofMode };
  /** Names of its required held-out scenarios; missing: none. */
  readonly required_held_out?: readonly string[];
  /** Who reviews, and in which phases; missing: nobody. */
  readonly review?: { readonly reviewers: readonly string[]; readonly at: readonly ("shape" | "review")[] };
}

/** Where the task stood before the pass: the last accepted STATE.md. */
export interface Before {
  readonly state: StateView;
}

/** The STATE.md that the agent left behind. */
export type Proposal =
  | { readonly kind: "read"; readonly state: StateView }
  | { readonly kind: "unreadable"; readonly problems: readonly string[] };

export const verdicts = ["accepted", "redirected", "rejected", "no_progress", "unavailable", "interrupted"] as const;
export type Verdict = (typeof verdicts)[number];

/** In the order of judgement: the first that holds decides. */
export const reasonCategories = [
  "interrupted",
  "unavailable",
  "tampering",
  "unreadable",
  "illegal",
  "redirect",
  "gate",
  "progress",
] as const;
export type ReasonCategory = (typeof reasonCategories)[number];

export interface Reason {
  readonly category: ReasonCategory;
  /** Stable word, such as `frame_incomplete`. */
  readonly code: string;
  /** One sentence that a person and a model understand. */
  readonly text: string;
}

export interface GateResult {
  readonly gate: string;
  readonly ok: boolean;
  /** Why it holds or why it does not. */
  readonly detail: string;
}

export const progressKinds = [
  "code_change",
  "state_change",
  "evidence_gain",
  "blocker_clarification",
  "risk_reduction",
] as const;
export type ProgressKind = (typeof progressKinds)[number];

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
  /** The report is about the code (and, in shape, the accepted STATE.md) that stands now. */
  readonly current: boolean;
  readonly problem: string | null;
  readonly findings: readonly ReviewFinding[];
}

export const ticketSources = [
  "validator",
  "scenario",
  "reviewer",
  "finding",
  "protected",
  "watched",
  "control",
  "counter",
] as const;

export interface Ticket {
  readonly id: string;
  readonly source: (typeof ticketSources)[number];
  readonly name: string;
  readonly text: string;
}

export const escalationCauses = [
  "stuck",
  "no_progress",
  "repairs",
  "passes",
  "money",
  "tokens",
  "time",
  "timeouts",
  "no_validators",
  "watched",
] as const;
export type EscalationCause = (typeof escalationCauses)[number];

/** The runner itself stops the task. */
export interface Escalation {
  readonly cause: EscalationCause;
  /** `blocked`, `needs_user_decision`, or the phase itself (intake). */
  readonly to: Phase;
  /** What stands in Blockers afterwards: what happened, what was tried, what a person can do. One line. */
  readonly blockers: string;
  /** The question to write to DECISIONS.md; null where `to` is another phase. */
  readonly question: string | null;
}

/** The values of the runner's own fields after the verdict, where it changes them. */
export interface RunnerFields {
  readonly validator_status: "pending" | "pass" | "fail";
  readonly repair_applied: "yes" | "no";
  readonly revalidation_status: "pending" | "pass" | "fail";
}

export interface Decision {
  readonly verdict: Verdict;
  readonly from: Phase;
  readonly proposed: Phase | null;
  readonly to: Phase;
  /** The text of the first reason that decided; for an accepted pass, what was accepted. */
  readonly reason: string;
  readonly reasons: readonly Reason[];
  readonly gates: readonly GateResult[];
  readonly progress: readonly ProgressKind[];
  readonly tickets: readonly Ticket[];
  /** Null for an accepted pass and for one that counts as no failure. */
  readonly failure: Failure | null;
  readonly escalation: Escalation | null;
  readonly runner_fields: RunnerFields;
  /** What the checks show about the work; missing where the proof square was not judged. */
  readonly proof?: Proof;
  readonly exit_name: (typeof decisionExits)[number];
}

export const decisionExits = [
  "ok",
  "budget",
  "iterations",
  "rejected",
  "blocked",
  "needs_user_decision",
  "no_progress",
  "unavailable",
  "paused",
] as const;
