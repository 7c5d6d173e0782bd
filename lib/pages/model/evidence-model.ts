import type { CheckResult, CheckRun } from "../../rules/check-run.ts";
import type { GateResult, Ticket } from "../../rules/decision.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { Held } from "../../rules/held.ts";
import type { ManualStanding } from "../../rules/manual.ts";
import type { Phase } from "../../rules/phases.ts";
import type { Moved, OpenAsk } from "../../rules/standing-facts.ts";
import type { FeatureRow, StateView } from "../../rules/state-view.ts";
import type { HostedCode } from "../../rules/verdict-event.ts";
import type { ArtifactRow } from "../files/list-artifacts.ts";
import type { Banner } from "./banner.ts";
import type { ComparedCheck, countRequired } from "./compare-checks.ts";
import type { EditRow } from "./edits.ts";
import type { ReviewRow } from "./list-reviews.ts";
import type { WatchedAt, WatchedRow } from "./list-watched.ts";
import type { MatrixSection } from "./matrix-section.ts";
import type { PatchedTask } from "./patches.ts";
import type { TokenSum } from "./sum-tokens.ts";

export interface EvidenceInput {
  readonly task: { readonly id: string; readonly title: string };
  readonly userFacing: boolean;
  /** The last accepted STATE.md; null if there is none. */
  readonly state: StateView | null;
  /** The journal, whole and checked. */
  readonly events: readonly TaskEvent[];
  /** The sha256 of the journal's last line. */
  readonly head: string | null;
  /** Files that the agent wrote. */
  readonly artifacts: readonly ArtifactRow[];
  /** Texts of the files that were packed when the task was done, by their path relative to the task folder. */
  readonly packed?: ReadonlyMap<string, string>;
  readonly questions: {
    readonly open: readonly OpenAsk[];
    /** Every question of this stop is answered. */
    readonly answered: boolean;
  };
  /** How the repo differs from that of `done`; null if it does not, or was not compared. */
  readonly moved: Moved | null;
  /** The runner's signed statement is there; missing: it is not. */
  readonly attested?: boolean;
  /** Why no pass begins, if no journal says it. */
  readonly held?: Held | null;
}

export interface CheckSection {
  readonly pass: number;
  readonly at: string;
  readonly fingerprint: string;
  readonly attempts: number;
  readonly moved: readonly string[];
  readonly results: readonly CheckResult[];
  readonly required: ReturnType<typeof countRequired>;
  /** The pass whose run was reused, if any. */
  readonly taken: NonNullable<CheckRun["taken"]> | null;
  /** The contract changed afterwards, so these results count for nothing any more. */
  readonly voided: boolean;
  /** They ran on earlier code: a later pass, or a person before it, changed it. */
  readonly outdated: boolean;
}

/** The commit that was checked out at a verdict, before that of the pass itself. */
export type CodeThen = HostedCode & {
  readonly pass: number;
  readonly at: string;
  /** The newest pass that changed code on this commit, which a commit after the verdict may hold. */
  readonly changedBy: number | null;
};

/** Everything that the evidence says, as plain values: the page, the Markdown and the report are made from it alone. */
export interface EvidenceModel
  extends Omit<PatchedTask, "code">,
    Pick<EvidenceInput, "task" | "userFacing" | "artifacts"> {
  readonly phase: Phase | null;
  readonly standing: Banner;
  /** A question is open, which DECISIONS.md holds. */
  readonly asks: boolean;
  readonly questions: readonly OpenAsk[];
  /** The state's content fields that say something. */
  readonly fields: readonly { readonly label: string; readonly value: string }[];
  readonly gates: {
    readonly pass: number;
    readonly from: string;
    readonly proposed: string;
    readonly results: readonly GateResult[];
  } | null;
  readonly checks: CheckSection | null;
  readonly before: {
    readonly at: string;
    readonly fingerprint: string;
    readonly results: readonly CheckResult[];
  } | null;
  /** The proof at the newest verdict that has one; null before. */
  readonly matrix: MatrixSection | null;
  /** Every check as it was before the work, and as it is now. */
  readonly compared: readonly ComparedCheck[];
  /** The differences from pass 1 in tests and in what the checks run; what no person accepted is first. */
  readonly watched: readonly WatchedRow[];
  /** When that was last looked at; null if it never was. */
  readonly watchedAt: WatchedAt | null;
  /** The scenarios that a person plays, and what a person said of the code that was checked last. */
  readonly manual: readonly ManualStanding[];
  /** The newest report of each reviewer. */
  readonly reviews: readonly ReviewRow[];
  /** The commit at the newest verdict that records one, and where it can be seen. */
  readonly code: CodeThen | null;
  readonly tickets: readonly Ticket[];
  /** The open items under Findings, each of which holds back review and done. */
  readonly findings: readonly string[];
  readonly features: readonly FeatureRow[];
  readonly edits: readonly EditRow[];
  /** Files that the runner wrote, apart from those it rewrites with every verdict. */
  readonly runnerArtifacts: readonly ArtifactRow[];
  /** As the input has them; empty if nothing was packed. */
  readonly packed: ReadonlyMap<string, string>;
  /** The commit of a person, as `9a01b22 Fix it`, of each of these that no pass changed itself. */
  readonly persons: ReadonlyMap<string, string>;
  /** The task is done, and artifacts/attestation.json says so. */
  readonly attested: boolean;
  readonly journal: { readonly events: number; readonly head: string | null; readonly lastAt: string | null };
  /** The spend of the passes and the reviewers together. */
  readonly spend: {
    readonly costUsd: number | null;
    /** Number of calls of a model with no reported cost. */
    readonly unknownCosts: number;
    readonly durationMs: number;
  } & TokenSum;
}
