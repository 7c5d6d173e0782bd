import type { ReviewStanding } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { isBlocking, isReported } from "./review-standings.ts";
import type { StateView } from "./state-view.ts";
import { plural } from "./wording.ts";

export function openFindings(state: StateView): readonly string[] {
  return state.findings.filter((finding) => finding.trim() !== "");
}

export function findingsClosed(state: StateView): Gate {
  const open = openFindings(state);
  const first = oneLine(open[0] ?? "");
  const many = plural(open.length, "is open", "are open");
  return gate(
    "findings_closed",
    "No item under Findings is open",
    open.length === 0,
    open.length === 0 ? "none open" : `${many}, the first: ${first}`,
    `of the items under Findings ${many}: ${first}; propose \`repair\`, which makes a ticket of each, tick what you saw to be fixed (\`- [x]\`), or move what is not a defect to Notes and say why`,
  );
}

/** A pass ticks an open finding, or explains it under Notes; a repair may answer in a new Current result. */
export function findingsKept(before: StateView, after: StateView): Gate[] {
  const repairs = before.phase === "repair";
  const answers = repairs && squash(after.fields.current_result) !== squash(before.fields.current_result);
  const removed = answers ? [] : removedFindings(before, after);
  if (removed.length === 0) return [];
  const first = oneLine(removed[0] ?? "");
  return [
    gate(
      "findings_kept",
      "No open finding was removed",
      false,
      `${removed.length} removed, the first: ${first}`,
      `${removed.length === 1 ? "a finding" : `${removed.length} findings`} that was open is gone from Findings: ${first}; put it back, tick it (\`- [x]\`) if it is fixed, or move it to Notes and say why it is no defect${repairs ? "; or write a new Current result that says what became of it" : ""}`,
    ),
  ];
}

function removedFindings(before: StateView, after: StateView): string[] {
  const open = openFindings(before);
  const known = open.map(squash);
  const notes = after.notes.map(squash);
  const earlier = before.notes.map(squash);
  // Notes beside the findings: a heading or another item may explain several.
  const isExplained = notes
    .filter((note) => !earlier.includes(note))
    .map((note) => known.reduce((rest, finding) => rest.replaceAll(finding, " "), note))
    .some((rest) => /\p{L}{2}/u.test(rest));
  const kept = [...[...after.findings, ...after.closed_findings].map(squash), ...(isExplained ? notes : [])];
  return open.filter((finding) => !kept.some((other) => other.includes(squash(finding))));
}

function squash(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 120);
}

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

export function noKnownBlocking(input: GateInput): Gate[] {
  if (!input.policy.review.at.includes("review")) return [];
  return input.reviews
    .filter((standing) => isReported(standing) && standing.findings.some(isBlocking))
    .map((standing) => nothingBlocks(standing, "review"));
}

/** A new frame waits for the reviewers; a report that none could give rejects the pass. */
function reportGiven(role: string, standing: ReviewStanding | undefined, phase: "shape" | "review"): Gate {
  const ok = standing !== undefined && isReported(standing);
  const how = renderReview(standing);
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

function renderReview(standing: ReviewStanding | undefined): string {
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
