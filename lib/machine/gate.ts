import type { GateResult } from "./decision.ts";
import type { KnownFacts, Policy } from "./facts.ts";
import type { StateView } from "./state-view.ts";

/** The input of a transition's gates. A person's edit and a model's proposal are judged by the same gates. */
export interface GateInput extends KnownFacts {
  readonly before: StateView;
  readonly state: StateView;
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
