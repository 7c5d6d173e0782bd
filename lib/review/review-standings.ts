import type { Policy, ReviewStanding } from "../machine/facts.ts";
import type { Phase } from "../machine/phases.ts";
import { lastRepair, reviewStandings } from "../machine/review-standings.ts";
import type { TaskSession } from "../task/session.ts";
import { sha256 } from "../text/sha256.ts";

/**
 * What the reviewers of the contract last said, as far as it matters in this phase: in shape and in review where they
 * look at it, in verify what they said in review. Empty if it does not. `fingerprint` is that of the repo now.
 */
export function standingsIn(
  { history, journal }: Pick<TaskSession, "history" | "journal">,
  policy: Pick<Policy, "review">,
  phase: Phase,
  fingerprint: string,
): ReviewStanding[] {
  const due = policy.review;
  const at = phase === "verify" ? "review" : phase;
  if (due === undefined || !due.at.some((one) => one === at)) return [];
  return reviewStandings(due.reviewers, history.reviews, {
    phase,
    fingerprint,
    stateSha256: sha256(history.state ?? ""),
    repairedPass: lastRepair(journal.events),
  });
}
