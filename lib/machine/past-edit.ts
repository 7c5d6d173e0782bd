import type { CheckRun } from "./check-run.ts";
import { noFacts, noPolicy } from "./facts.ts";
import type { TaskHistory } from "./history.ts";
import { type EditJudgement, judgePersonEdit } from "./person-edit.ts";
import type { StateView } from "./state-view.ts";

type Known = Pick<TaskHistory, "checks" | "reviews" | "watchAnswers">;

/**
 * What a person could do to STATE.md at a time that is past, as far as two states and the journal tell: the table, and
 * the gates about STATE.md and what the checks said. What only the disk of that day could tell (proof, open questions,
 * the code) counts as held, since the runner looked at it before it accepted the edit.
 */
export function judgePastEdit(before: StateView, after: StateView, known: Known): EditJudgement {
  const { checks, reviews, watchAnswers } = known;
  const code = checks?.fingerprint_after ?? "";
  // Repairs may also come from a review, or from changes that a person refused.
  const forRepair = after.phase === "repair";
  return judgePersonEdit({
    ...noFacts,
    before,
    state: after,
    checks,
    fingerprint: { before: code, after: code, present: code },
    evidence: { location: "", problem: null, files: ["held"], link_target: "held", link_target_exists: true },
    feature_proofs: after.features.map(({ feature }) => ({ feature, problem: null })),
    open_questions: ["held"],
    reviews: forRepair ? standingReviews(reviews) : [],
    watched: forRepair ? refusedChanges(watchAnswers) : null,
    promise_seen: true,
    policy: { ...noPolicy, required_validators: requiredOf(checks) },
  });
}

function standingReviews(reviews: Known["reviews"]) {
  return Object.values(reviews).map(({ role, problem, findings }) => ({ role, current: true, problem, findings }));
}

function refusedChanges({ refused }: Known["watchAnswers"]) {
  const held = { kind: "test", change: "removed", side: "checks", detail: "", answer: "refused" } as const;
  return refused.map(({ name, digest }) => ({ name, digest, ...held }));
}

/** Only the contract names the required ones; without any run the gate of the checks refuses. */
function requiredOf(checks: CheckRun | null): string[] {
  return checks === null
    ? ["held"]
    : checks.results.filter(({ kind, required }) => kind === "validator" && required).map(({ name }) => name);
}
