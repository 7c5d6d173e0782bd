import type { GateResult } from "./decision.ts";
import type { KnownFacts, Policy } from "./facts.ts";
import type { StateView } from "./state-view.ts";

/** A person's edit and a model's proposal pass through identical gates. */
export interface GateInput extends KnownFacts {
  readonly before: StateView;
  readonly state: StateView;
  readonly policy: Policy;
}

export interface Gate extends GateResult {
  /** Stable, for logs and signatures. */
  readonly code: string;
  /**
   * `redirect` sends the task to repair. `wait` accepts the proposal, if no other gate fails, but keeps the phase. Which
   * rejections ask a person, `findEscalation` decides by their code.
   */
  readonly onFailure: "reject" | "redirect" | "wait";
  /** The reason on failure, since `name` states what should be true. */
  readonly failed: string;
}

/** The form in which records keep a gate. */
export function resultOf({ gate, ok, detail }: Gate): GateResult {
  return { gate, ok, detail };
}

/** On failure the pass is rejected. */
export function gate(code: string, name: string, ok: boolean, detail: string, failed: string): Gate {
  return { code, gate: name, ok, detail, onFailure: "reject", failed };
}
