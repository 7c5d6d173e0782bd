import type { FrameAnswer } from "./approval.ts";
import type { ChangeSize } from "./bounds.ts";
import type { CheckRun } from "./check-run.ts";
import type { GateResult } from "./decision.ts";
import type { EvidenceFacts, FeatureProof, Policy, ReviewStanding, StepProof } from "./facts.ts";
import type { LookAnswer } from "./manual.ts";
import type { SquareFacts } from "./square.ts";
import type { ListedItem, StateView } from "./state-view.ts";
import type { WatchedChange } from "./watched-change.ts";

/** The input of a transition's gates. A person's edit and a model's proposal are judged by the same gates. */
export interface GateInput {
  readonly before: StateView;
  readonly state: StateView;
  readonly checks: CheckRun | null;
  /** Of the repo as it is now. */
  readonly fingerprint: string;
  readonly reviewed_fingerprint: string | null;
  readonly evidence: EvidenceFacts;
  readonly feature_proofs: readonly FeatureProof[];
  /** Features that were accepted before and that no person took out. */
  readonly known_features: readonly string[];
  readonly steps: readonly ListedItem[];
  /** The same before the pass, and the proofs that ticked items name now. */
  readonly steps_before: readonly ListedItem[];
  readonly step_proofs: readonly StepProof[];
  readonly open_questions: readonly string[];
  /** The last reports of the reviewers; empty if none is due. */
  readonly reviews: readonly ReviewStanding[];
  /** The differences from pass 1 in tests and in what the checks run; null if nothing is watched. */
  readonly watched: readonly WatchedChange[] | null;
  /** The result of the proof square; null if it was not run. */
  readonly square: SquareFacts | null;
  /** What a person said about frames. */
  readonly approvals: readonly FrameAnswer[];
  /** What a person answered about manual scenarios. */
  readonly looks: readonly LookAnswer[];
  /** How much the pass changed; null: not measured. */
  readonly change: ChangeSize | null;
  readonly promise_seen: boolean;
  readonly promise_problem: string | null;
  readonly policy: Policy;
}

export interface Gate extends GateResult {
  /** Stable word for logs and signatures. */
  readonly code: string;
  /**
   * `redirect`: a failure sends the task to repair instead of rejecting the pass. `wait`: if no other gate fails, the
   * proposal is accepted, but the task stays in its phase.
   */
  readonly onFailure: "reject" | "redirect" | "ask" | "wait";
  /** The reason if the gate fails: its name states what should be true and would read as the opposite. */
  readonly failed: string;
}

/** A condition that was judged; if it fails, the pass is rejected, and `failed` says what is so. */
export function gate(code: string, name: string, ok: boolean, detail: string, failed: string): Gate {
  return { code, gate: name, ok, detail, onFailure: "reject", failed };
}
