import { passPath } from "../../documents/pass-pack.ts";
import { frameOf } from "../../rules/approval.ts";
import type { ReviewedEvent, TaskEvent } from "../../rules/events.ts";
import type { Severity } from "../../rules/facts.ts";
import type { TaskHistory } from "../../rules/history.ts";
import { lastRepair, reviewStandings } from "../../rules/review-standings.ts";
import type { StateView } from "../../rules/state-view.ts";
import { severities } from "../../rules/words.ts";

/** The newest report of one reviewer. */
export type ReviewRow = ReturnType<typeof rowOf>;

/** One row a role, in the order in which they first reported. */
export function listReviews(events: readonly TaskEvent[], history: TaskHistory, state: StateView | null): ReviewRow[] {
  const newest = new Map<string, ReviewedEvent>();
  for (const event of events) if (event.type === "reviewed") newest.set(event.role, event);
  const roles = Object.keys(history.reviews);
  const { phase, lastVerdict } = history;
  const standings = reviewStandings(roles, history.reviews, {
    // A question or a stop is about the phase that it came from.
    phase: phase === "needs_user_decision" ? (history.askedFrom ?? "review") : (phase ?? "review"),
    fingerprint: lastVerdict?.fingerprint.present ?? lastVerdict?.fingerprint.after ?? "",
    frame: state === null ? "" : frameOf(state),
    repairedPass: lastRepair(events),
  });
  const current = new Set(standings.filter((standing) => standing.current).map(({ role }) => role));
  return [...newest.values()].map((event) =>
    rowOf(event, !roles.includes(event.role) ? "void" : current.has(event.role) ? "present" : "earlier"),
  );
}

/** `about`: the current state, something that changed since, or nothing any more, since the brief changed. */
function rowOf(event: ReviewedEvent, about: "present" | "earlier" | "void") {
  const { role, model, phase, pass, at, problem, tokens } = event;
  const of = (severity: Severity) => event.findings.filter((finding) => finding.severity === severity);
  return {
    role,
    model,
    /** The reviewer worked in it, before the model of this pass. */
    phase,
    pass,
    at,
    about,
    /** Why there is no report; null if there is one. */
    problem,
    findings: severities.flatMap(of),
    counts: Object.fromEntries(severities.map((severity) => [severity, of(severity).length])) as Record<
      Severity,
      number
    >,
    /** Relative to the task folder. */
    report: `${passPath(pass)}/reviews/${role}.md`,
    durationMs: event.duration_ms,
    costUsd: event.cost_usd,
    tokens,
  };
}
