import { addedFindings } from "./added-findings.ts";
import { failedChecks, stoodStill } from "./check-run.ts";
import type { CheckRun, Facts, ReviewStanding, Ticket, WatchedChange } from "./facts.ts";
import { openBlocking } from "./review-standings.ts";
import type { StateView } from "./state-view.ts";
import { tellWatched } from "./watched.ts";

/** One ticket for each required check that failed, and one where the checks moved the repo. */
export function checkTickets(checks: CheckRun): Ticket[] {
  const tickets = failedChecks(checks).map((check): Ticket => {
    const how = check.status === "fail" ? `exit ${check.exit_code ?? check.signal}` : check.status.replace("_", " ");
    const known = check.attribution === null ? "" : `, ${check.attribution.replace("_", " ")}`;
    return {
      id: `${check.kind}:${check.name}`,
      source: check.kind,
      name: check.name,
      text: `${check.kind} ${check.name} did not pass (${how}${known}); log ${check.log}\n${check.excerpt}`.trimEnd(),
    };
  });
  if (!stoodStill(checks)) {
    tickets.push({
      id: "validator:repo-moved",
      source: "validator",
      name: "repo-moved",
      text: `the checks changed the repo while they ran, twice: ${checks.moved.slice(0, 50).join(", ") || "no path is known"}`,
    });
  }
  return tickets;
}

/** One ticket for each item that the pass added under Findings. */
export function findingTickets(before: StateView, after: StateView): Ticket[] {
  return addedFindings(before, after).map((finding, index) => ({
    id: `finding:${index + 1}`,
    source: "finding",
    name: finding.split("\n")[0]?.slice(0, 80) ?? "",
    text: finding,
  }));
}

/** One ticket for each blocking finding of a reviewer. */
export function reviewTickets(reviews: readonly ReviewStanding[]): Ticket[] {
  const counts = new Map<string, number>();
  return openBlocking(reviews).map(({ role, finding }) => {
    const number = (counts.get(role) ?? 0) + 1;
    counts.set(role, number);
    return { id: `reviewer:${role}:${number}`, source: "reviewer", name: role, text: finding.text };
  });
}

/** One ticket for each change of tests or checks that a person did not accept; `said` is the answer, where it is at hand. */
export function watchedTickets(changes: readonly WatchedChange[], said = ""): Ticket[] {
  return changes.map((change) => ({
    id: `watched:${change.name}`,
    source: "watched",
    name: change.name,
    text: `${tellWatched(change)}; a person did not accept that${said === "" ? "" : ` ("${said}")`}. Put it back as it was, and make the work fit it`,
  }));
}

/** The code moved in review. */
export function movedTicket(facts: Facts): Ticket {
  const files = facts.moved_since_review.slice(0, 50);
  return {
    id: "finding:code-changed-in-review",
    source: "finding",
    name: "code changed in review",
    text:
      facts.reviewed_fingerprint === null
        ? "no verify → review was accepted since the task was opened; verify before the review"
        : files.length > 0
          ? `the repo changed since it was verified: ${files.join(", ")}; check each change, then verify again`
          : "the repo changed since it was verified; check the diff, then verify again",
  };
}

/** A protected path that a pass changed; it has been put back. */
export function protectedTickets(facts: Facts): Ticket[] {
  return facts.tampering
    .filter((tamper) => tamper.guard === "protected")
    .map((tamper) => ({
      id: `protected:${tamper.path}`,
      source: "protected",
      name: tamper.path,
      text: `${tamper.path} is protected and was ${tamper.change}; it was put back. Make the work fit it as it is`,
    }));
}
