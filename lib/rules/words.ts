/** The closed lists of words that records hold. The schemas and the rules take them from here. */

export const tamperChanges = ["added", "removed", "changed", "replaced"] as const;

export const tamperGuards = ["task_file", "runner_file", "config", "other_task", "protected", "git"] as const;

export const tamperers = ["model", "validators", "before", "reviewers"] as const;

export const severities = ["blocking", "major", "minor", "note"] as const;

export const checkStatuses = ["pass", "fail", "timeout", "not_started"] as const;

export const attributions = ["clean", "regressed", "fixed", "broken_before"] as const;

export const verdicts = ["accepted", "redirected", "rejected", "no_progress", "unavailable", "interrupted"] as const;

/** In the order in which `decide()` judges them: the first that applies gives the verdict. */
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

export const progressKinds = [
  "code_change",
  "state_change",
  "evidence_gain",
  "blocker_clarification",
  "risk_reduction",
  "question",
] as const;

export const ticketSources = [
  "validator",
  "scenario",
  "reviewer",
  "finding",
  "protected",
  "watched",
  "proof",
  "unsteady",
  "bounds",
  "merge",
] as const;

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
  "environment",
  "cut_off",
] as const;

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

export const limitCauses = ["rate_limit", "quota", "overloaded"] as const;

export const interruptCauses = ["signal", "abort", "skip", "cut_off"] as const;

/**
 * `file`: named by `watched` in the contract. `count`: tests that a check ran. `mark`: a line of the work that can end
 * or patch a test process, or silence a tool.
 */
export const watchedKinds = ["test", "file", "script", "setting", "executable", "check_file", "count", "mark"] as const;

export const watchedChanges = ["added", "changed", "removed", "installed", "fewer", "unfailing"] as const;

/** `crash`: an error of the language itself, such as a TypeError. */
export const failureCauses = ["assertion", "load", "crash", "other"] as const;

export const noticedBy = [...failureCauses, "timeout", "standing"] as const;

/** From the strongest to the weakest: a check that notices only that nothing is returned asks for little more than code. */
export const wrongChanges = ["value", "dropped", "passed", "nothing", "words"] as const;

export const wrongOutcomes = ["noticed", "unnoticed", "unloadable"] as const;

/** See `judgeSteadiness`. */
export const unsteadyKinds = ["beside", "before", "since", "once"] as const;

/** See `gradeProof`. */
export const grades = ["shown", "hollow", "kept", "unshown"] as const;

export const proofModes = ["auto", "require", "off"] as const;

export const hostKinds = ["github", "gitlab", "gitea", "bitbucket"] as const;

export const controlCommands = ["PAUSE", "SKIP", "ABORT", "STATUS", "RETRY"] as const;

export const degradeSteps = ["cheap_tier", "small_context", "no_self_review"] as const;

/** Places where a person's approval may be required. */
export const approvePhases = ["shape"] as const;

/** `checkpoint` of task-phase.yaml; each mode includes those before it. */
export const checkpointModes = ["patch", "commit", "push"] as const;

export type CheckpointMode = (typeof checkpointModes)[number];

export function commitsIn(mode: CheckpointMode): boolean {
  return mode !== "patch";
}

export function pushesIn(mode: CheckpointMode): boolean {
  return mode === "push";
}

/** How the reflog of a repo names what a model's git did. */
export const reflogAction = "task-phase model";
