import type { Decision, Escalation, Verdict } from "./decision.ts";
import { isWorkingPhase, type Phase } from "./phases.ts";
import type { Standing } from "./standing-facts.ts";

/** The signals that end a call in order, each with its exit. */
export const signalExits = { SIGINT: "sigint", SIGTERM: "sigterm", SIGHUP: "sighup" } as const;

type SignalExit = (typeof signalExits)[keyof typeof signalExits];

/** The exit that belongs to the reason of an abort; null if that is no signal. */
export function exitOfSignal(reason: unknown): SignalExit | null {
  return Object.entries(signalExits).find(([name]) => name === reason)?.[1] ?? null;
}

export function isSignalExit(exitName: string): boolean {
  return Object.values<string>(signalExits).includes(exitName);
}

/** The exit of what was stopped before it had a result: by a signal, or else by a person. */
export function exitOfAbort({ reason }: AbortSignal): SignalExit | "paused" {
  return exitOfSignal(reason) ?? "paused";
}

/** The exit of the call that did the pass. A person's ABORT that came too late to end anything still ends the call. */
export function exitOfCall(
  { verdict, escalation, exit_name, to }: Pick<Decision, "verdict" | "escalation" | "exit_name" | "to">,
  signal: AbortSignal,
  aborted: boolean,
): Decision["exit_name"] | SignalExit {
  if (verdict === "interrupted" && escalation === null) return aborted ? "paused" : exitOfAbort(signal);
  return aborted && isWorkingPhase(to) ? "paused" : exit_name;
}

/** The exit of a call on a task that needs a person; null if it does not. */
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
 * The exit of a pass with this verdict, or of a stop: the call that stops a task tells the cause. `asks`: a question is
 * open, so no pass comes next until someone answers; a task that is done needs none.
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
      return "needs_user_decision";
    case "cut_off":
      return "blocked";
    case "repairs":
      return to === "blocked" ? "blocked" : "needs_user_decision";
    case undefined:
      break;
  }
  if (verdict === "interrupted") return "paused";
  if (verdict === "rejected" || verdict === "no_progress" || verdict === "unavailable") return verdict;
  if (to === "blocked" || to === "needs_user_decision") return to;
  return asks && to !== "done" ? "needs_user_decision" : "ok";
}
