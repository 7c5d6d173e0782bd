import type { OverBounds } from "./bounds.ts";
import type { CheckRun } from "./check-run.ts";
import type { Decision, Escalation, GateResult, ProgressKind, Reason, Ticket, Verdict } from "./decision.ts";
import type { EvidenceFacts, Tamper } from "./facts.ts";
import type { ManualStanding } from "./manual.ts";
import type { ModelEnd } from "./model-end.ts";
import type { Phase } from "./phases.ts";
import type { Proof, SquareFacts } from "./square.ts";
import type { WatchedChange } from "./watched-change.ts";

/** The commit that was checked out, and where it can be seen. */
export interface HostedCode {
  /** Null without git and before the first commit. */
  readonly commit: string | null;
  readonly branch: string | null;
  /** Whether anything differed from the commit; null if that is not known. */
  readonly dirty: boolean | null;
  /**
   * Address of the repository on its host, for example `https://github.com/owner/name`, without credentials; null if
   * none is known.
   */
  readonly web: string | null;
  /** How that host writes addresses; null if that is not known. */
  readonly kind: HostKind | null;
  /** Whether the remote was known to have the commit; null if there is no remote. */
  readonly pushed: boolean | null;
}

export const hostKinds = ["github", "gitlab", "gitea", "bitbucket"] as const;
/** Forgejo and Codeberg write addresses as Gitea does, GitHub Enterprise as GitHub. */
export type HostKind = (typeof hostKinds)[number];

export interface VerdictEvent {
  readonly type: "verdict";
  readonly at: string;
  readonly pass: number;
  readonly model: string | null;
  readonly from: Phase;
  readonly proposed: Phase | null;
  readonly to: Phase;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly reasons: readonly Reason[];
  readonly gates: readonly GateResult[];
  readonly progress: readonly ProgressKind[];
  /** The same in words, as `describeMade` says it. */
  readonly made: readonly string[];
  readonly tickets: readonly Ticket[];
  readonly failure: Decision["failure"];
  readonly escalation: Escalation | null;
  readonly checks: CheckRun | null;
  readonly fingerprint: { readonly before: string; readonly after: string; readonly present: string | null };
  readonly end: ModelEnd;
  /**
   * The beginning of the model's last answer, redacted, at most 300 characters: of a pass that changed nothing, so that
   * the next prompt can say what was lost. Null in all others.
   */
  readonly answer: string | null;
  readonly duration_ms: number;
  readonly cost_usd: number | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly overridden: readonly string[];
  readonly tampering: readonly Tamper[];
  /** The runner's ledgers and SUMMARY.md that the pass changed, and DECISIONS.md if it answered itself: told. */
  readonly put_back: readonly Tamper[];
  readonly evidence: EvidenceFacts;
  readonly changed_paths: readonly { readonly path: string; readonly change: string }[];
  /** Ids of the questions that were open when the pass ended. */
  readonly open_questions: readonly string[];
  /** The differences from pass 1 in tests and in what the checks run; null if nothing is watched. */
  readonly watched: readonly WatchedChange[] | null;
  /** The result of the proof square for the code of `checks`; null if it was not due. */
  readonly square: SquareFacts | null;
  /** The proof grade of the work; null if the proof square was not due. */
  readonly proof: Proof | null;
  /** The manual scenarios, each with what a person said about this code; empty if no checks ran. */
  readonly manual: readonly ManualStanding[];
  /** Whether that could ask a person, or was only shown. */
  readonly tests_changed: "block" | "show";
  /** The frame that a person was asked to approve; null: nobody was. */
  readonly frame: string | null;
  /** The change of the repo was larger than the bounds of the phase; null: it was not. */
  readonly over_bounds: OverBounds | null;
  /** Where the code of this moment can be seen; null if a later run closed the pass. */
  readonly code: HostedCode | null;
  /** The visible features after an accepted or redirected pass; empty otherwise. */
  readonly features: readonly string[];
  readonly state: string;
  readonly contract_sha256: string;
  /** sha256 of pass.json as it was written before this event. */
  readonly record_sha256: string;
}
