import { takeFingerprint } from "../git/fingerprint.ts";
import type { ModelEnd, Tamper } from "../machine/facts.ts";
import { rolesToAsk } from "../machine/review-standings.ts";
import type { Assembly } from "./assemble.ts";
import { readBudgets, refuseSpent } from "./budgets.ts";
import type { Guard } from "./guard.ts";
import { fingerprintExcludes } from "./look.ts";
import { signalName } from "./ports.ts";
import { planReview, runReviews } from "./review-pass.ts";
import { standingsIn } from "./review-standings.ts";
import { type Stop, stop } from "./session.ts";

/** What the reviewers before a pass came to. */
export interface Reviewed {
  readonly kind: "reviewed";
  readonly tampering: readonly Tamper[];
  /** How one ended that could not be asked; the model is not called then. */
  readonly end: ModelEnd | null;
  /** How long they took together; it is charged with their own events, not with the pass. */
  readonly ms: number;
}

const nothing: Reviewed = { kind: "reviewed", tampering: [], end: null, ms: 0 };

/**
 * Asks every reviewer that is due and has no readable report on what stands now. A stop where the budgets do not hold
 * them and the pass after them, and after a signal. `guard` makes the anchor.
 */
export async function reviewOnce(parts: Assembly, pass: number, guard: (() => Guard) | null): Promise<Reviewed | Stop> {
  const { session, contract, repo, document, model } = parts;
  const { place, ports } = session;
  const { phase } = document.view;
  if (guard === null || (phase !== "shape" && phase !== "review")) return nothing;
  if (contract.policy.review?.at.includes(phase) !== true) return nothing;
  const fingerprint = await takeFingerprint(repo, fingerprintExcludes(place, repo));
  const roles = rolesToAsk(standingsIn(session, contract.policy, phase, fingerprint.hash));
  if (roles.length === 0) return nothing;
  const refuse = (calls: number): Stop | null =>
    refuseSpent(session, document, contract, readBudgets(session, contract, parts.run), model, calls);
  // Reviews whose pass cannot be paid for any more would only cost.
  const unaffordable = refuse(roles.length + 1);
  if (unaffordable !== null) return unaffordable;
  const plan = planReview(session, repo, fingerprint);
  const began = ports.now().getTime();
  const { timeoutMs } = parts;
  const done = await runReviews({
    ...{ session, contract, repo, model, timeoutMs, phase, pass, roles, fingerprint, plan, guard: guard() },
  });
  if (done.kind === "aborted")
    return stop(signalName(ports), "stopped by a signal before the model was called", document.view.phase);
  const { tampering, end } = done;
  const spent = tampering.length === 0 && end === null ? refuse(1) : null;
  return spent ?? { kind: "reviewed", tampering, end, ms: Math.max(0, ports.now().getTime() - began) };
}
