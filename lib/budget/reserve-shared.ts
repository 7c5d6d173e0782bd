import type { ModelConfig } from "../config/load-config.ts";
import { type Stop, stop, type TaskSession } from "../task/session.ts";
import { expectedOf } from "./budgets.ts";

/** The next pass, as far as it matters to limits. */
export interface PassToCome {
  readonly model: ModelConfig;
  readonly pass: number;
  /** Of each call. */
  readonly timeoutMs: number;
}

/**
 * Where several machines share limits: takes from them what the pass and its reviewers are expected to use, so many
 * calls in all. A stop if that is not left.
 */
export async function reserveShared(session: TaskSession, next: PassToCome, calls: number): Promise<Stop | null> {
  const { shared } = session.ports;
  if (shared === undefined) return null;
  const { model, pass, timeoutMs } = next;
  const { estimateUsd, tokens } = expectedOf(session, model, calls);
  const estimate = { passes: 1, moneyUsd: estimateUsd ?? 0, tokens, timeMs: timeoutMs * calls };
  const refused = await shared.reserve({ model: model.name, pass, estimate });
  if (refused === null) return null;
  return {
    ...stop("budget", refused.reason, session.history.phase),
    nextEligibleAt: refused.again?.toISOString() ?? null,
  };
}
