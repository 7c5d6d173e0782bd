import { reserveShared } from "../budget/reserve-shared.ts";
import { estimateOf } from "../machine/spend.ts";
import { accept, type HeldTask, type Stop } from "../task/session.ts";
import { claimPass } from "./keep-in-git.ts";
import { unkeptStop } from "./pass-report.ts";
import type { Plan } from "./prepared-pass.ts";
import { findDueReviews, isBaselineDue, longestBaselineMs } from "./run-ahead.ts";

/**
 * Among several machines, before anything of a pass costs: takes its share of what they share, and claims the pass if
 * its baseline or its reviewers come first, so that no two machines pay for them. A stop if the pass is not to begin.
 */
export async function claimAhead(session: HeldTask, plan: Plan): Promise<Stop | null> {
  const { ports, history } = session;
  const { fence } = ports;
  if (fence === undefined && ports.shared === undefined) return null;
  const reviewers = (await findDueReviews(session, plan))?.roles.length ?? 0;
  const refused = await reserveShared(session, plan, 1 + reviewers);
  const isDue = reviewers > 0 || isBaselineDue(session, plan);
  if (refused !== null || fence === undefined || !isDue) return refused;
  const { pass, model, document, contract } = plan;
  const baselineMs = isBaselineDue(session, plan) ? longestBaselineMs(plan) : 0;
  const timeoutMs = plan.timeoutMs * (1 + reviewers) + baselineMs;
  const { runner } = fence;
  const event = {
    type: "claimed",
    at: ports.now().toISOString(),
    pass,
    phase: document.view.phase,
    model: model.name,
    estimate_usd: estimateOf(history.spend, model.name, model.estimateUsd),
    reviewers,
    timeout_ms: timeoutMs,
    runner,
  } as const;
  accept(session, { event, state: null });
  const lost = await claimPass({ ...plan, session, timeoutMs }, ports, true);
  return lost === null ? null : unkeptStop(session, contract.contract.id, lost);
}
