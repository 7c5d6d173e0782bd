import type { ReviewStanding } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { isBlocking, isReported } from "./review-standings.ts";

/**
 * Every reviewer due in shape or review reported on the current state (in shape: the proposed frame) without blocking.
 * In review, a blocking finding goes to repair. No repair closes a missing report: it rejects the pass, and the role is
 * asked again.
 */
export function reviewersContent(input: GateInput, phase: "shape" | "review"): Gate[] {
  const due = input.policy.review;
  if (!due.at.includes(phase)) return [];
  return due.reviewers.flatMap((role) => {
    const standing = input.reviews.find((one) => one.role === role);
    const reported = reportGiven(role, standing, phase);
    return standing === undefined || !reported.ok ? [reported] : [reported, nothingBlocks(standing, phase)];
  });
}

/** In verify: no report on exactly this code blocks. */
export function noKnownBlocking(input: GateInput): Gate[] {
  if (!input.policy.review.at.includes("review")) return [];
  return input.reviews
    .filter((standing) => isReported(standing) && standing.findings.some(isBlocking))
    .map((standing) => nothingBlocks(standing, "review"));
}

/** A new frame waits for the reviewers; a report that none could give rejects the pass. */
function reportGiven(role: string, standing: ReviewStanding | undefined, phase: "shape" | "review"): Gate {
  const ok = standing !== undefined && isReported(standing);
  const how = describe(standing);
  const waits = phase === "shape" && standing?.current !== true;
  const given = gate(
    `review_${role}_missing`,
    `Reviewer ${role} reported on the current state`,
    ok,
    how,
    `reviewer ${role} has no readable report on the current state: ${how}`,
  );
  return waits ? { ...given, onFailure: "wait" } : given;
}

function describe(standing: ReviewStanding | undefined): string {
  if (standing === undefined) return "it has not reported yet";
  if (standing.problem !== null) return standing.problem.slice(0, 300);
  return standing.current ? "it did" : "its report is about an earlier state; it is asked again before the next pass";
}

const mostShown = 5;

function nothingBlocks({ role, findings }: ReviewStanding, phase: "shape" | "review"): Gate {
  const blocking = findings.filter(isBlocking);
  const shown = blocking.slice(0, mostShown).map(({ text }) => text.replace(/\s+/g, " ").slice(0, 200));
  const more = blocking.length > mostShown ? `; and ${blocking.length - mostShown} more` : "";
  const told = `${shown.join("; ")}${more}`;
  return {
    ...gate(
      `review_${role}`,
      `Reviewer ${role} found nothing that blocks`,
      blocking.length === 0,
      blocking.length === 0 ? "nothing" : `${blocking.length} blocking: ${told}`,
      `reviewer ${role} reported ${blocking.length === 1 ? "a blocking finding" : `${blocking.length} blocking findings`}: ${told}`,
    ),
    onFailure: phase === "shape" ? "reject" : "redirect",
  };
}
