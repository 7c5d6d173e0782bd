import { signalName } from "../anchor/ports.ts";
import { readBudgets, refuseSpent } from "../budget/budgets.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import { endingOrphans } from "../guard/end-orphans.ts";
import type { Guard } from "../guard/guard.ts";
import { frameOf, hasFrame } from "../machine/approval.ts";
import type { Tamper } from "../machine/facts.ts";
import type { ModelEnd } from "../machine/model-end.ts";
import { rolesToAsk } from "../machine/review-standings.ts";
import { planReview, runReviews } from "../review/review-pass.ts";
import { standingsIn } from "../review/review-standings.ts";
import { fingerprintExcludes } from "../task/look.ts";
import { type HeldTask, type Stop, stop } from "../task/session.ts";
import type { Plan } from "./prepared-pass.ts";

/** The result of the reviewers before a pass. */
export interface Reviewed {
  readonly kind: "reviewed";
  readonly tampering: readonly Tamper[];
  /** How one ended that could not be asked; the model is not called then. */
  readonly end: ModelEnd | null;
  /** How long they took together; it is charged with their own events, not with the pass. */
  readonly ms: number;
}

export const notReviewed: Reviewed = { kind: "reviewed", tampering: [], end: null, ms: 0 };

/**
 * The reviewers that have no readable report on the state as it is, at least one; null: none is due. In shape they are
 * asked once there is a whole frame: before, they would be paid for what is still to be written.
 */
export async function findDueReviews({ place, history, journal }: HeldTask, { contract, repo, document }: Plan) {
  const { phase } = document.view;
  if (phase !== "shape" && phase !== "review") return null;
  if (contract.policy.review?.at.includes(phase) !== true) return null;
  if (phase === "shape" && !hasFrame(document.view)) return null;
  const fingerprint = await takeFingerprint(repo, fingerprintExcludes(place, repo));
  const about = { fingerprint: fingerprint.hash, state: document.view };
  const roles = rolesToAsk(standingsIn({ history, journal }, contract.policy, phase, about));
  return roles.length === 0 ? null : { phase, roles, fingerprint };
}

/**
 * Asks every reviewer that is due and has no readable report on the current state. A stop if the budgets do not hold
 * them and the pass after them, and after a signal. `guard` makes the anchor.
 */
export async function reviewOnce(session: HeldTask, plan: Plan, guard: () => Guard): Promise<Reviewed | Stop> {
  const { contract, repo, document, model, pass, timeoutMs } = plan;
  const { ports } = session;
  const due = await findDueReviews(session, plan);
  if (due === null) return notReviewed;
  const { phase, roles, fingerprint } = due;
  const refuse = (calls: number): Stop | null =>
    refuseSpent(session, document, contract, readBudgets(session, contract, plan.run), model, calls);
  // Reviews whose pass cannot be paid for any more would only cost.
  const unaffordable = refuse(roles.length + 1);
  if (unaffordable !== null) return unaffordable;
  const copies = planReview(session, repo, fingerprint);
  const began = ports.now().getTime();
  const made = guard();
  const round = {
    session,
    contract,
    repo,
    model,
    timeoutMs,
    phase,
    pass,
    roles,
    fingerprint,
    frame: frameOf(document.view),
    plan: copies,
    guard: made,
  };
  const done = await endingOrphans(made, ports.env, () => runReviews(round));
  if (done.kind === "aborted")
    return stop(signalName(ports), "stopped by a signal before the model was called", document.view.phase);
  const { tampering, end } = done;
  const spent = tampering.length === 0 && end === null ? refuse(1) : null;
  return spent ?? { kind: "reviewed", tampering, end, ms: Math.max(0, ports.now().getTime() - began) };
}
