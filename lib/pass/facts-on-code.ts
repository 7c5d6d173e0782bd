import { readReviewed } from "../anchor/reviewed.ts";
import { diffFingerprints, type Fingerprint } from "../git/fingerprint.ts";
import type { Facts, Proposal, Tamper } from "../machine/facts.ts";
import { standingsIn } from "../review/review-standings.ts";
import { lookAtWatch, type WatchedBeside } from "../square/watch-repo.ts";
import { redactDeep } from "../text/redact-deep.ts";
import type { PreparedPass } from "./prepared-pass.ts";

/** Facts of a pass that follow from the code: known after the model, and once more after the checks. */

/** The paths in which the code differs from what the reviewers saw; none if no code was reviewed. */
export function movedSinceReview(prepared: PreparedPass, now: Fingerprint): string[] {
  const { history, anchor } = prepared.session;
  const reviewed = readReviewed(anchor);
  if (reviewed === null || reviewed.hash !== history.reviewedFingerprint || reviewed.hash === now.hash) return [];
  return diffFingerprints(reviewed, now).map((change) => change.path);
}

/** The reviewers' reports on the current code and the proposed frame; no key at all if none is due. */
export function reviewsOn(
  { session, policy, document }: PreparedPass,
  { hash }: Fingerprint,
  proposal: Proposal,
): Pick<Facts, "reviews"> {
  const state = proposal.kind === "read" ? proposal.state : document.view;
  const standings = standingsIn(session, policy, document.view.phase, { fingerprint: hash, state });
  const reviews = redactDeep(standings, session.ports.redactor);
  return reviews.length === 0 ? {} : { reviews };
}

/** The changes of tests and of what the checks run; no key at all if nothing is watched. */
export function watchedOn(prepared: PreparedPass, fingerprint: Fingerprint, beside: WatchedBeside = {}) {
  const { session, watched, repo, contract } = prepared;
  return { watched: lookAtWatch(session, watched, { repo, contract: contract.contract, fingerprint }, beside) };
}

/** No key at all if nothing was restored. */
export function putBackIn(putBack: readonly Tamper[]): Pick<Facts, "put_back"> {
  return putBack.length === 0 ? {} : { put_back: putBack };
}
