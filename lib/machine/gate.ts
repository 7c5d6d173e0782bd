import type {
  CheckRun,
  EvidenceFacts,
  FeatureProof,
  GateResult,
  Policy,
  ReviewStanding,
  WatchedChange,
} from "./facts.ts";
import type { SquareFacts } from "./square.ts";
import type { ListedItem, StateView } from "./state-view.ts";

/** What the gates of a transition look at. A person's edit and a model's proposal are held to the same ones. */
export interface GateInput {
  readonly before: StateView;
  readonly state: StateView;
  readonly checks: CheckRun | null;
  /** Of the repo as it stands now. */
  readonly fingerprint: string;
  readonly reviewed_fingerprint: string | null;
  readonly evidence: EvidenceFacts;
  readonly feature_proofs: readonly FeatureProof[];
  /** Features that were accepted before and that no person took out. */
  readonly known_features: readonly string[];
  readonly steps: readonly ListedItem[];
  readonly open_questions: readonly string[];
  /** What the reviewers last said; missing where none is due. */
  readonly reviews?: readonly ReviewStanding[];
  /** What differs from pass 1 of tests and of what the checks run; missing where nothing is watched. */
  readonly watched?: readonly WatchedChange[];
  /** What the proof square showed; missing where it was not run. */
  readonly square?: SquareFacts;
  readonly promise_seen: boolean;
  /** Missing: judged by the last line alone. */
  readonly promise_problem?: string | null;
  readonly policy: Policy;
}

export interface Gate extends GateResult {
  /** Stable word for logs and signatures. */
  readonly code: string;
  /** `redirect`: a failure sends the task to repair instead of rejecting the pass. */
  readonly onFailure: "reject" | "redirect" | "ask";
  /** What is so where it does not hold: the gate's name says what should be, and would read as its opposite. */
  readonly failed: string;
}

/** A condition that was judged; where it fails, the pass is rejected, and `failed` says what is so. */
export function gate(code: string, name: string, ok: boolean, detail: string, failed: string): Gate {
  return { code, gate: name, ok, detail, onFailure: "reject", failed };
}
