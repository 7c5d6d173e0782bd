import type { ApprovePhase } from "../rules/approval.ts";
import type { Bounds } from "../rules/bounds.ts";
import type { ProofMode } from "../rules/matrix.ts";

export const reviewRoles = ["architecture", "security", "tests", "requirements", "usability"] as const;
export type ReviewRole = (typeof reviewRoles)[number];
/** A validator or scenario of the contract: a command that the runner runs in the repo; exit code 0 passes. */
export interface ContractCheck {
  readonly name: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly required: boolean;
  /** The output that it must show besides the exit code. */
  readonly expect: { readonly minTests: number | null; readonly output: string | null };
}

/**
 * A scenario whose files the agent does not see. It runs in a clean copy alone, in which the folder is named
 * `held-out`.
 */
export interface HeldOutCheck extends ContractCheck {
  /** Absolute, or relative to the task folder; outside the repo and the tasks root. */
  readonly folder: string;
}

/** A scenario that a person plays: nothing runs. */
export interface ManualCheck {
  readonly name: string;
  readonly look: string;
}

/** How the work is judged by running the checks in clean copies. */
export interface ProofRules {
  /** Whether the checks are run without the work too; `require`: one of them has to fail then. */
  readonly without: ProofMode;
  /** Whether wrong versions of the work are run, how many at most, and for how many times as long as the checks take. */
  readonly wrong: { readonly mode: ProofMode; readonly max: number; readonly time: number };
  /** Whether the checks are run in a clean copy; `require`: they have to pass there. */
  readonly clean: ProofMode;
  /** How old the checks and the proof of the accepted verify → review may be to count for `done` on the same code; 0: never. */
  readonly freshMs: number;
  /** Folders and files that git ignores and a clean copy holds all the same: a name at any depth, or a repo path. */
  readonly carry: readonly string[];
  /** Commands that are run in a clean copy first, after what is carried is there. */
  readonly prepare: readonly (readonly string[])[];
}

/** Where it is written back that the task is done. */
export interface StorySource {
  /** Relative to the task folder, or absolute. */
  readonly prd: string;
  readonly story: string;
}

/** The front matter of a brief, every default filled in. */
export interface Contract {
  readonly id: string;
  readonly title: string;
  /** Higher is selected first. */
  readonly priority: number;
  readonly dependsOn: readonly string[];
  /** Those of them whose proof has to be shown before this task begins. */
  readonly provenOnly: readonly string[];
  /** Relative to the task folder; null: the git top level that holds it. */
  readonly repo: string | null;
  readonly userFacing: boolean;
  readonly validators: readonly ContractCheck[];
  readonly scenarios: readonly ContractCheck[];
  /** The scenarios that say `held_out`; none of them is among `scenarios`. */
  readonly heldOut: readonly HeldOutCheck[];
  /** The scenarios that say `manual`; none of them is among `scenarios`. */
  readonly manual: readonly ManualCheck[];
  readonly proof: ProofRules;
  /** Whether checks run at the same time; `auto`: until they are seen to fail by that. */
  readonly parallel: "auto" | boolean;
  /** Globs of repo paths that no pass may change. */
  readonly protected: readonly string[];
  /** Globs of repo paths that are watched beside tests and what the checks run. */
  readonly watched: readonly string[];
  /** Globs of tests that the task is meant to change: changes of these ask no person. */
  readonly testsMayChange: readonly string[];
  /** Whether a changed check or test asks a person, or is only shown. */
  readonly testsChanged: "block" | "show";
  /** The story of a prd.json that this task was made from; null if there is none. */
  readonly source: StorySource | null;
  readonly budget: {
    readonly passes: number;
    readonly repairs: number;
    /** US dollars for all passes of the task; null: no limit. */
    readonly moneyUsd: number | null;
    /** Input and output of all passes of the task; null: no limit. */
    readonly tokens: number | null;
    /** The sum of the passes' durations; null: no limit. */
    readonly timeMs: number | null;
  };
  /** How much one pass may change in verify and in repair, and whether more is refused or shown. */
  readonly bounds: Bounds;
  readonly retriesPerFailure: number;
  /** Whether the runner makes the moves for which no model is needed by itself. */
  readonly advance: "auto" | "never";
  /** `auto`: chosen from the brief and the changed paths. */
  readonly review: { readonly reviewers: readonly ReviewRole[] | "auto"; readonly at: readonly ("shape" | "review")[] };
  /** Where a person is asked to approve before the work goes on. */
  readonly approve: readonly ApprovePhase[];
  /** The share of a budget, above 0 up to 1, from which passes are made cheaper; null switches it off. */
  readonly degradeOver: number | null;
  /** The least time that a person has to answer a question before its safe default is taken. */
  readonly questionWaitMs: number;
  /** Null switches it off. */
  readonly completionPromise: string | null;
}

export type Scenario = ContractCheck | HeldOutCheck | ManualCheck;

export function isHeldOutCheck(check: Scenario): check is HeldOutCheck {
  return "folder" in check;
}

export function isManualCheck(check: Scenario): check is ManualCheck {
  return "look" in check;
}

/** The form of a check's name that can be in a file name; names must differ in it. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._]+/gu, "-")
    .replace(/^[-.]+|-+$/g, "");
}
