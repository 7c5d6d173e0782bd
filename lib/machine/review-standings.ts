import type { ReviewedEvent, TaskEvent } from "./events.ts";
import type { ReviewFinding, ReviewStanding } from "./facts.ts";
import type { Phase } from "./phases.ts";

/** The state that a current report must be about. */
export interface ReviewedState {
  /** In verify, the last review's reports count. */
  readonly phase: Phase;
  /** Of the repo. */
  readonly fingerprint: string;
  /** `frameOf` the judged STATE.md: the proposed one, if a pass proposes. */
  readonly frame: string;
  /** The newest accepted repair; 0 if there is none. */
  readonly repairedPass: number;
}

/** Includes roles that never reported. */
export function reviewStandings(
  roles: readonly string[],
  newest: Readonly<Record<string, ReviewedEvent>>,
  now: ReviewedState,
): ReviewStanding[] {
  return roles.map((role) => {
    const event = newest[role];
    if (event === undefined) return { role, current: false, problem: "it has not reported yet", findings: [] };
    return { role, current: isCurrent(event, now), problem: event.problem, findings: event.findings };
  });
}

/** Roles without a readable report on the current state. */
export function rolesToAsk(standings: readonly ReviewStanding[]): string[] {
  return standings.filter((standing) => !isReported(standing)).map(({ role }) => role);
}

export function isReported({ current, problem }: ReviewStanding): boolean {
  return current && problem === null;
}

/** In reports about the current state. */
export function openBlocking(standings: readonly ReviewStanding[]): { role: string; finding: ReviewFinding }[] {
  return standings
    .filter(isReported)
    .flatMap(({ role, findings }) => findings.filter(isBlocking).map((finding) => ({ role, finding })));
}

export function isBlocking({ severity }: ReviewFinding): boolean {
  return severity === "blocking";
}

/** 0 if there is none. */
export function lastRepair(events: readonly TaskEvent[]): number {
  const repaired = events.findLast(
    (event) =>
      event.type === "verdict" && event.verdict === "accepted" && event.from === "repair" && event.to !== "repair",
  );
  return repaired?.type === "verdict" ? repaired.pass : 0;
}

/**
 * A report on the frame says nothing about the result, and the other way round. A repair outside the repo, as in
 * EVIDENCE.md, moves no fingerprint: a role that blocked looks again.
 */
function isCurrent(event: ReviewedEvent, now: ReviewedState): boolean {
  const phase = now.phase === "shape" ? "shape" : "review";
  if (event.phase !== phase || event.fingerprint !== now.fingerprint) return false;
  if (phase === "shape") return event.frame === now.frame;
  return event.pass > now.repairedPass || !event.findings.some(isBlocking);
}
