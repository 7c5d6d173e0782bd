import type { CheckRun } from "../machine/facts.ts";
import type { TaskHistory } from "../machine/history.ts";
import { type EditJudgement, judgePersonEdit } from "../machine/person-edit.ts";
import type { StateView } from "../machine/state-view.ts";

type Known = Pick<TaskHistory, "checks" | "reviews" | "watchAnswers">;

/**
 * What a person may do to STATE.md, as far as two states and the journal tell: the table, and the gates about what
 * stands in STATE.md and what the checks said. What only the disk could tell (proof, open questions, the code that
 * stands now) counts as held, since the runner looks at it before it accepts the edit.
 */
export function judgeMove(before: StateView, after: StateView, known: Known): EditJudgement {
  return judgePersonEdit({
    before,
    state: after,
    checks: known.checks,
    fingerprint: known.checks?.fingerprint_after ?? "",
    reviewed_fingerprint: null,
    evidence: { location: "", problem: null, files: ["held"], link_target: "held", link_target_exists: true },
    feature_proofs: after.features.map(({ feature }) => ({ feature, problem: null })),
    known_features: [],
    steps: [],
    open_questions: ["held"],
    ...(after.phase === "repair" ? saidElsewhere(known) : {}),
    promise_seen: true,
    policy: {
      user_facing: false,
      completion_promise: null,
      budget: { passes: 0, repairs: 0 },
      retries_per_failure: 0,
      required_validators: requiredOf(known.checks),
      required_scenarios: [],
    },
  });
}

/** What is to be repaired may also stand in a review, or in what a person did not accept. */
function saidElsewhere({ reviews, watchAnswers }: Known) {
  return {
    reviews: Object.values(reviews).map(({ role, problem, findings }) => ({ role, current: true, problem, findings })),
    watched: watchAnswers.refused.map(({ name, digest }) => ({
      name,
      digest,
      kind: "test" as const,
      change: "deleted" as const,
      detail: "",
      answer: "refused" as const,
    })),
  };
}

/** Which they are only the contract tells; without any run the gate of the checks speaks. */
function requiredOf(checks: CheckRun | null): string[] {
  return checks === null
    ? ["held"]
    : checks.results.filter(({ kind, required }) => kind === "validator" && required).map(({ name }) => name);
}
