import type { KnownFacts, Policy } from "./facts.ts";
import { type ManualStanding, standManual } from "./manual.ts";

/** The current code at the verdict, if anything took its fingerprint. */
export function standingFingerprint({ fingerprint, checks }: Pick<KnownFacts, "fingerprint" | "checks">): string {
  return fingerprint.present ?? checks?.fingerprint_after ?? fingerprint.after;
}

/** The manual scenarios and what a person said to each about this code. */
export function manualAt(facts: KnownFacts, policy: Policy): ManualStanding[] {
  return standManual(policy.manual, facts.looks, standingFingerprint(facts));
}
