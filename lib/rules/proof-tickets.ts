import { failedChecks } from "./check-run.ts";
import type { Ticket } from "./decision.ts";
import type { Facts, Policy } from "./facts.ts";
import { gradeProof, isHeldOut, type MatrixFacts, renderVersion } from "./matrix.ts";
import { isExcused, renderUnsteady } from "./steadiness.ts";

/**
 * For each required check that fails only in a clean copy, each failing held-out check, and a missing required failure
 * without the work. A held-out check's ticket says no more: what it looks for is not for the agent.
 */
export function matrixTickets({ checks, matrix }: Facts, policy: Policy): Ticket[] {
  const { proof } = policy;
  if (matrix === null) return [];
  const judged = matrix.calibration.kind === "good" || proof.clean === "require";
  const failed = matrix.clean === null ? [] : failedChecks(matrix.clean);
  const out = matrix.left_out.slice(0, mostNamed).join(", ");
  const named = out === "" ? "" : `. The copy does not have ${out}`;
  const fromClean = failed
    .filter((check) => isHeldOut(check) || judged)
    .map((check): Ticket => {
      if (isHeldOut(check)) {
        const text = `held-out check ${check.name} does not pass. It runs in a clean copy, on files that you cannot see: make the work correct for every input that the brief covers`;
        return { id: `proof:held-out:${check.name}`, source: "proof", name: check.name, text };
      }
      const text = `${check.name} passes in the repo, and fails in a fresh copy of what git lists: the work needs something that git does not list, or that only this folder has${named}; log ${check.log}\n${check.excerpt}`;
      return { id: `proof:${check.name}`, source: "proof", name: check.name, text: text.trimEnd() };
    });
  const noCopy =
    matrix.clean === null && proof.clean === "require"
      ? [cleanTicket("clean-copy", `no clean copy of the repo could be judged: ${matrix.no_clean ?? "none was made"}`)]
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

const mostNamed = 5;

function unsteadyTickets({ steadiness = [] }: MatrixFacts): Ticket[] {
  return steadiness
    .filter((check) => !isExcused(check))
    .map((check) => ({
      id: `unsteady:${check.name}`,
      source: "unsteady",
      name: check.name,
      text: `${renderUnsteady(check)}; log ${check.log}. Find what differs between runs, such as time, order, a random value or a file that is left behind, and make it always say the same`,
    }));
}

/** One for each wrong version of the work that no check noticed. */
function wrongTickets({ wrong }: MatrixFacts): Ticket[] {
  const missed = wrong?.versions.filter(({ outcome }) => outcome === "unnoticed") ?? [];
  return missed.map((version, index) => ({
    id: `proof:wrong-${index + 1}`,
    source: "proof",
    name: "a wrong version that no check notices",
    text: `${renderVersion(version)}, and every check still passes: add a test that notices it`,
  }));
}

function cleanTicket(name: string, text: string): Ticket {
  return { id: `proof:${name}`, source: "proof", name, text };
}

function withoutTicket(reason: string | null): Ticket {
  const text =
    reason === null
      ? "every check also passes without this work: add a test that fails without it and passes with it"
      : `it could not be shown that a check fails without this work: ${reason}`;
  return { id: "proof:no-check-fails", source: "proof", name: "no check fails without this work", text };
}
