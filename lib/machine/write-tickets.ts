import { findOverBounds } from "./bounds.ts";
import type { Ticket, Verdict } from "./decision.ts";
import type { Before, Facts, Policy, Proposal } from "./facts.ts";
import { manualAt, standingFingerprint } from "./facts-at-verdict.ts";
import {
  boundsTicket,
  checkTickets,
  findingTickets,
  lookTickets,
  movedTicket,
  protectedTickets,
  reviewTickets,
  squareTickets,
  watchedTickets,
} from "./tickets.ts";
import { refusedChanges } from "./watched.ts";

/** What is to be repaired after a verdict: one ticket for each concrete thing. */
export function writeTickets(
  verdict: Verdict,
  before: Before,
  proposal: Proposal,
  { facts, policy }: { readonly facts: Facts; readonly policy: Policy },
): Ticket[] {
  if (verdict === "rejected") return [...protectedTickets(facts), ...boundsTickets(before, facts, policy)];
  if (proposal.kind !== "read") return [];
  const fromReviewers = reviewTickets(facts.reviews);
  const fromWatch = watchedTickets(refusedChanges(facts.watched ?? [], facts.square));
  const fromPerson = lookTickets(manualAt(facts, policy));
  if (verdict === "accepted" && proposal.state.phase === "repair" && before.state.phase !== "repair") {
    return [...fromReviewers, ...fromWatch, ...fromPerson, ...findingTickets(proposal.state)];
  }
  if (verdict !== "redirected") return [];
  const fromChecks = facts.checks === null ? [] : checkTickets(facts.checks);
  const moved = before.state.phase === "review" && standingFingerprint(facts) !== facts.reviewed_fingerprint;
  return [
    ...fromChecks,
    ...squareTickets(facts, policy),
    ...fromReviewers,
    ...fromWatch,
    ...fromPerson,
    ...(moved ? [movedTicket(facts)] : []),
    ...findingTickets(proposal.state),
  ];
}

/** Only a change that is refused is a ticket. */
function boundsTickets(before: Before, facts: Facts, policy: Policy): Ticket[] {
  const over = findOverBounds(before.state.phase, facts.change, policy.bounds);
  return over === null || policy.bounds.over !== "block" ? [] : [boundsTicket(over)];
}
