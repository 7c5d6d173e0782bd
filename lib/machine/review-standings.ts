import type { ReviewedEvent, TaskEvent } from "./events.ts";
import type { ReviewFinding, ReviewStanding } from "./facts.ts";
import type { Phase } from "./phases.ts";

/** The state that a report must be about to count now. */
export interface ReviewedState {
  /** The task's phase and history. In verify the reports of the last review are looked at. */
  readonly phase: Phase;
  /** Of the repo. */
  readonly fingerprint: string;
  /** What `frameOf` gives of the STATE.md that is judged: the proposed one, if a pass proposes. */
  readonly frame: string;
  /** The newest pass whose repair was accepted; 0 if there is none. */
  readonly repairedPass: number;
}

/** Each of these roles with what it last said; a role that never reported is there too. */
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

/** The roles that have no readable report on the current state, and so are to be asked. */
export function rolesToAsk(standings: readonly ReviewStanding[]): string[] {
  return standings.filter((standing) => !isReported(standing)).map(({ role }) => role);
}

export function isReported({ current, problem }: ReviewStanding): boolean {
  return current && problem === null;
}

/** The findings that stop the gate, of roles whose report is about the current state. */
export function openBlocking(standings: readonly ReviewStanding[]): { role: string; finding: ReviewFinding }[] {
  return standings
    .filter(isReported)
    .flatMap(({ role, findings }) => findings.filter(isBlocking).map((finding) => ({ role, finding })));
}

export function isBlocking({ severity }: ReviewFinding): boolean {
  return severity === "blocking";
}

/** The newest pass whose repair was accepted; 0 if there is none. */
export function lastRepair(events: readonly TaskEvent[]): number {
  const repaired = events.findLast(
    (event) =>
      event.type === "verdict" && event.verdict === "accepted" && event.from === "repair" && event.to !== "repair",
  );
  return repaired?.type === "verdict" ? repaired.pass : 0;
}

/**
 * A report on the frame says nothing of the result, and the other way round. What a repair changed outside the repo,
 * as in EVIDENCE.md, moves no fingerprint: a role that reported something blocking looks again after it.
 */
function isCurrent(event: ReviewedEvent, now: ReviewedState): boolean {
  const phase = now.phase === "shape" ? "shape" : "review";
  if (event.phase !== phase || event.fingerprint !== now.fingerprint) return false;
  if (phase === "shape") return event.frame === now.frame;
  return event.pass > now.repairedPass || !event.findings.some(isBlocking);
}
