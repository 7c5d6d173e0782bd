import type { Decision, Escalation, Verdict } from "./decision.ts";
import { isWorkingPhase, type Phase } from "./phases.ts";
import type { Standing } from "./standing-facts.ts";

export const signalExits = { SIGINT: "sigint", SIGTERM: "sigterm", SIGHUP: "sighup" } as const;

type SignalExit = (typeof signalExits)[keyof typeof signalExits];

export function exitOfSignal(reason: unknown): SignalExit | null {
  return Object.entries(signalExits).find(([name]) => name === reason)?.[1] ?? null;
}

export function isSignalExit(exitName: string): boolean {
  return Object.values<string>(signalExits).includes(exitName);
}

/** By a signal, or else by a person. */
export function exitOfAbort({ reason }: AbortSignal): SignalExit | "paused" {
  return exitOfSignal(reason) ?? "paused";
}

/** A person's ABORT ends the call even if it came too late for the pass. */
export function exitOfCall(
  { verdict, escalation, exit_name, to }: Pick<Decision, "verdict" | "escalation" | "exit_name" | "to">,
  signal: AbortSignal,
  aborted: boolean,
): Decision["exit_name"] | SignalExit {
  if (verdict === "interrupted" && escalation === null) return aborted ? "paused" : exitOfAbort(signal);
  return aborted && isWorkingPhase(to) ? "paused" : exit_name;
}

export function exitOfStanding(standing: Standing, phase: Phase | null): Decision["exit_name"] | null {
  switch (standing) {
    case "asks":
      return "needs_user_decision";
    case "stuck":
      return phase === "needs_user_decision" ? "needs_user_decision" : "blocked";
    case "blocked":
      return "blocked";
    case "paused":
    case "cancelled":
      return "paused";
    default:
      return null;
  }
}

/**
 * Of a pass with this verdict, or of a stop. `asks`: an open question prevents the next pass, unless the task is done.
 */
export function exitOfVerdict(
  verdict: Verdict,
  to: Phase,
  escalation: Escalation | null,
  asks = false,
): Decision["exit_name"] {
  switch (escalation?.cause) {
    case "stuck":
    case "no_progress":
      return "no_progress";
    case "timeouts":
      return "unavailable";
    case "passes":
      return "iterations";
    case "money":
    case "tokens":
    case "time":
      return "budget";
    case "no_validators":
    case "watched":
    case "manual":
    case "approve":
    case "environment":
      return "needs_user_decision";
    case "cut_off":
      return "blocked";
    case "repairs":
      return to === "blocked" ? "blocked" : "needs_user_decision";
    case undefined:
      break;
  }
  // In the record; `exitOfCall` names the signal instead.
  if (verdict === "interrupted") return "paused";
  if (verdict === "rejected" || verdict === "no_progress" || verdict === "unavailable") return verdict;
  if (to === "blocked" || to === "needs_user_decision") return to;
  return asks && to !== "done" ? "needs_user_decision" : "ok";
}
