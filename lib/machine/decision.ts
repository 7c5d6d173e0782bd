import type { OverBounds } from "./bounds.ts";
import type { ManualStanding } from "./manual.ts";
import type { Phase } from "./phases.ts";
import type { Proof } from "./square.ts";

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
  "question",
] as const;
export type ProgressKind = (typeof progressKinds)[number];

export const ticketSources = [
  "validator",
  "scenario",
  "reviewer",
  "finding",
  "protected",
  "watched",
  "control",
  "counter",
  "bounds",
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
  "manual",
  "approve",
  "cut_off",
] as const;
export type EscalationCause = (typeof escalationCauses)[number];

/** The runner itself stops the task. */
export interface Escalation {
  readonly cause: EscalationCause;
  /** `blocked`, `needs_user_decision`, or the phase itself (intake). */
  readonly to: Phase;
  /** The new Blockers: what happened, what was tried, what a person can do. One line. */
  readonly blockers: string;
  /** The question to write to DECISIONS.md; null if `to` is another phase. */
  readonly question: string | null;
}

/** The same failure again, with nothing but accepted work on it between. */
export interface Failure {
  readonly signature: string;
  readonly count: number;
  /** The numbers of the newest passes that ended so. */
  readonly passes: readonly number[];
}

/** The values of the runner's own fields after the verdict, if it changes them. */
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
  /** The proof grade of the work; null if the proof square was not judged. */
  readonly proof: Proof | null;
  /** The manual scenarios, each with what a person said about this code; empty if no checks ran. */
  readonly manual: readonly ManualStanding[];
  /** The change of the repo is larger than the bounds of the phase; null: it is not. */
  readonly over_bounds: OverBounds | null;
  /** The frame that a person is asked to approve; null: nobody is asked. */
  readonly frame: string | null;
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
