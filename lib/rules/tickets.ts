import { findOverBounds, type OverBounds, renderOverBounds } from "./bounds.ts";
import { type CheckRun, failedChecks, renderAttribution, stoodStill } from "./check-run.ts";
import type { Ticket, Verdict } from "./decision.ts";
import {
  type Before,
  type Facts,
  manualAt,
  type Policy,
  type Proposal,
  type ReviewStanding,
  standingFingerprint,
} from "./facts.ts";
import { renderLeftOut } from "./gates-matrix.ts";
import { openFindings } from "./gates-review.ts";
import { type ManualStanding, refusedManual, renderManual } from "./manual.ts";
import { gradeProof, isHeldOut, type MatrixFacts, renderVersion } from "./matrix.ts";
import { undone } from "./reasons.ts";
import { openBlocking } from "./review-standings.ts";
import type { StateView } from "./state-view.ts";
import { isExcused, renderFlip, renderUnsteady } from "./steadiness.ts";
import { refusedChanges, renderWatched, type WatchedChange } from "./watched.ts";

function ticketOf(source: Ticket["source"], name: string, text: string, id = `${source}:${name}`): Ticket {
  return { id, source, name, text };
}

/** For each failed required check, and for checks that moved the repo. */
export function checkTickets(checks: CheckRun): Ticket[] {
  const tickets = failedChecks(checks).map((check) => {
    const how =
      check.unmet ??
      (check.status === "fail" ? `exit ${check.exit_code ?? check.signal}` : check.status.replace("_", " "));
    const since = renderAttribution(check);
    const known = since === "" ? "" : `, ${since}`;
    const flip = check.passes === undefined ? "" : `, ${renderFlip(check.passes)}`;
    const text = `${check.kind} ${check.name} did not pass (${how}${known}${flip}); log ${check.log}\n${check.excerpt}`;
    return ticketOf(check.kind, check.name, text.trimEnd());
  });
  if (stoodStill(checks)) return tickets;
  const moved = checks.moved.slice(0, 50).join(", ") || "unknown paths";
  const text = `the checks changed the repo while they ran, twice: ${moved}`;
  return [...tickets, ticketOf("validator", "repo-moved", text)];
}

export function findingTickets(state: StateView): Ticket[] {
  return openFindings(state).map((finding, index) =>
    ticketOf("finding", finding.split("\n")[0]?.slice(0, 80) ?? "", finding, `finding:${index + 1}`),
  );
}

export function reviewTickets(reviews: readonly ReviewStanding[]): Ticket[] {
  const counts = new Map<string, number>();
  return openBlocking(reviews).map(({ role, finding }) => {
    const number = (counts.get(role) ?? 0) + 1;
    counts.set(role, number);
    return ticketOf("reviewer", role, finding.text, `reviewer:${role}:${number}`);
  });
}

/** For each change that a person refused; `said` is the answer. */
export function watchedTickets(changes: readonly WatchedChange[], said = ""): Ticket[] {
  const refused = `a person did not accept that${said === "" ? "" : ` ("${said}")`}`;
  return changes.map((change) => {
    const step =
      change.change === "unfailing"
        ? "Make the test fail if the work is wrong"
        : "Undo the change, and make the work fit";
    return ticketOf("watched", change.name, `${renderWatched(change)}; ${refused}. ${step}`);
  });
}

export function manualTickets(standings: readonly ManualStanding[]): Ticket[] {
  return refusedManual(standings).map(({ name, look, answer }) => {
    const text = `a person looked at ${renderManual({ name, look })} and said: ${answer?.said ?? ""}. Repair that; a person is asked again once the code has changed and the checks pass`;
    return ticketOf("scenario", name, text, `manual:${name}`);
  });
}

/** The change is still in the repo: the next pass makes it smaller. */
function boundsTicket(over: OverBounds): Ticket {
  const text = `${renderOverBounds(over)}. The change is still in the repo: undo what the tickets do not ask for`;
  return ticketOf("bounds", over.phase, text);
}

export function movedTicket(facts: Facts): Ticket {
  const files = facts.moved_since_review.slice(0, 50);
  const text =
    facts.reviewed_fingerprint === null
      ? "no verify → review was accepted since the task was opened; verify before the review"
      : files.length > 0
        ? `the repo changed since it was verified: ${files.join(", ")}; check each change, then verify again`
        : "the repo changed since it was verified; check the diff, then verify again";
  return ticketOf("finding", "code changed in review", text, "finding:code-changed-in-review");
}

/** For each protected path that was changed and restored. */
export function protectedTickets(facts: Facts): Ticket[] {
  return facts.tampering
    .filter((tamper) => tamper.guard === "protected")
    .map((tamper) => {
      const text = `${tamper.path} is protected and was ${tamper.change}; it was ${undone(tamper)}. Make the work fit it unchanged`;
      return ticketOf("protected", tamper.path, text);
    });
}

/** One ticket for each concrete thing to repair. */
export function writeTickets(
  verdict: Verdict,
  before: Before,
  proposal: Proposal,
  { facts, policy }: { readonly facts: Facts; readonly policy: Policy },
): Ticket[] {
  if (verdict === "rejected") return [...protectedTickets(facts), ...boundsTickets(before, facts, policy)];
  if (proposal.kind !== "read") return [];
  const fromReviewers = reviewTickets(facts.reviews);
  const fromWatch = watchedTickets(refusedChanges(facts.watched ?? [], facts.matrix));
  const fromPerson = manualTickets(manualAt(facts, policy));
  if (verdict === "accepted" && proposal.state.phase === "repair" && before.state.phase !== "repair") {
    return [...fromReviewers, ...fromWatch, ...fromPerson, ...findingTickets(proposal.state)];
  }
  if (verdict !== "redirected") return [];
  const fromChecks = facts.checks === null ? [] : checkTickets(facts.checks);
  // Without a model, and in a person's commits, it is no fault of the pass.
  const isPasses = facts.end.kind !== "no_model" && !facts.moved_by_person;
  const moved =
    isPasses && before.state.phase === "review" && standingFingerprint(facts) !== facts.reviewed_fingerprint;
  return [
    ...fromChecks,
    ...matrixTickets(facts, policy),
    ...fromReviewers,
    ...fromWatch,
    ...fromPerson,
    ...(moved ? [movedTicket(facts)] : []),
    ...findingTickets(proposal.state),
  ];
}

function boundsTickets(before: Before, facts: Facts, policy: Policy): Ticket[] {
  const over = findOverBounds(before.state.phase, facts.change, policy.bounds);
  return over === null || policy.bounds.over !== "block" ? [] : [boundsTicket(over)];
}

/**
 * One ticket for each required check that fails only in a clean copy, for each failing held-out check, and for a
 * required failure without the work that is missing. The ticket of a held-out check keeps its contents secret from the
 * agent.
 */
export function matrixTickets({ checks, matrix }: Facts, policy: Policy): Ticket[] {
  const { proof } = policy;
  if (matrix === null) return [];
  const judged = matrix.calibration.kind === "good" || proof.clean === "require";
  const failed = matrix.clean === null ? [] : failedChecks(matrix.clean);
  const out = renderLeftOut(matrix);
  const named = out === "" ? "" : `. The copy lacks ${out}`;
  const fromClean = failed
    .filter((check) => isHeldOut(check) || judged)
    .map((check) => {
      if (isHeldOut(check)) {
        const text = `held-out check ${check.name} does not pass. It runs in a clean copy, on files that you cannot see: make the work correct for every input that the brief covers`;
        return ticketOf("proof", check.name, text, `proof:held-out:${check.name}`);
      }
      const text = `${check.name} passes in the repo, and fails in a fresh copy of what git lists: the work needs something that git does not list, or that only this folder has${named}; log ${check.log}\n${check.excerpt}`;
      return ticketOf("proof", check.name, text.trimEnd());
    });
  const noCopy =
    matrix.clean === null && proof.clean === "require"
      ? [
          ticketOf(
            "proof",
            "clean-copy",
            `no clean copy of the repo could be judged: ${matrix.no_clean ?? "none was made"}`,
          ),
        ]
      : [];
  const grade = gradeProof(checks, matrix);
  const without =
    proof.without === "require" && grade.grade !== "shown" && fromClean.length === 0
      ? [withoutTicket(grade.grade === "kept" ? null : (grade.reason ?? "they only need the new code to be there"))]
      : [];
  return [
    ...unsteadyTickets(matrix),
    ...fromClean,
    ...noCopy,
    ...without,
    ...(proof.wrong === "require" ? wrongTickets(matrix) : []),
  ];
}

function unsteadyTickets({ steadiness = [] }: MatrixFacts): Ticket[] {
  return steadiness
    .filter((check) => !isExcused(check))
    .map((check) => {
      const text = `${renderUnsteady(check)}; log ${check.log}. Find what differs between runs, such as time, order, a random value or a file that is left behind, and make it always say the same`;
      return ticketOf("unsteady", check.name, text);
    });
}

/** One for each wrong version of the work that no check noticed. */
function wrongTickets({ wrong }: MatrixFacts): Ticket[] {
  const missed = wrong?.versions.filter(({ outcome }) => outcome === "unnoticed") ?? [];
  return missed.map((version, index) => {
    const text = `${renderVersion(version)}, and every check still passes: add a test that notices it`;
    return ticketOf("proof", "a wrong version that no check notices", text, `proof:wrong-${index + 1}`);
  });
}

function withoutTicket(reason: string | null): Ticket {
  const text =
    reason === null
      ? "every check also passes without this work: add a test that fails without it and passes with it"
      : `it could not be shown that a check fails without this work: ${reason}`;
  return ticketOf("proof", "no check fails without this work", text, "proof:no-check-fails");
}
