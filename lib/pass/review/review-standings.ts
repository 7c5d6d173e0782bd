import { frameOf } from "../../rules/approval.ts";
import type { Policy, ReviewStanding } from "../../rules/facts.ts";
import type { Phase } from "../../rules/phases.ts";
import { lastRepair, reviewStandings } from "../../rules/review-standings.ts";
import type { StateView } from "../../rules/state-view.ts";
import type { TaskSession } from "../../task/session.ts";

/**
 * What the reviewers of the contract last said, as far as it matters in this phase: in shape and in review where they
 * look at it, in verify what they said in review. Empty if it does not. `fingerprint` is that of the repo now, and `state`
 * the STATE.md whose frame they must have seen.
 */
export function standingsIn(
  { history, journal }: Pick<TaskSession, "history" | "journal">,
  policy: Pick<Policy, "review">,
  phase: Phase,
  { fingerprint, state }: { readonly fingerprint: string; readonly state: StateView },
): ReviewStanding[] {
  const due = policy.review;
  const at = phase === "verify" ? "review" : phase;
  if (!due.at.some((one) => one === at)) return [];
  return reviewStandings(due.reviewers, history.reviews, {
    phase,
    fingerprint,
    frame: frameOf(state),
    repairedPass: lastRepair(journal.events),
  });
}
