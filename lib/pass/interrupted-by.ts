import type { ModelEnd } from "../machine/facts.ts";

/** How what was cut off ended, told by what aborted it: a person's ABORT or SKIP, or else a signal. */
export function interruptedBy(signal: AbortSignal, otherwise: string): Extract<ModelEnd, { kind: "interrupted" }> {
  switch (signal.reason) {
    case "ABORT":
      return { kind: "interrupted", cause: "abort", reason: "a person's ABORT in CONTROL.md ended it" };
    case "SKIP":
      return { kind: "interrupted", cause: "skip", reason: "a person's SKIP in CONTROL.md gave the repair attempt up" };
    default:
      return { kind: "interrupted", cause: "signal", reason: otherwise };
  }
}
