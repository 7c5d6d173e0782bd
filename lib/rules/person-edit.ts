import type { CheckRun } from "./check-run.ts";
import type { RunnerFields, Ticket } from "./decision.ts";
import { noFacts, noPolicy } from "./facts.ts";
import type { GateInput } from "./gate.ts";
import { judgeGates } from "./gates.ts";
import type { TaskHistory } from "./history.ts";
import { isWorkingPhase, mayPropose, type Phase, phases } from "./phases.ts";
import { transitionReasons } from "./reasons.ts";
import { afterVerdict, readRunnerFields, reopenedFields } from "./runner-fields.ts";
import type { RunnerStop } from "./runner-stop.ts";
import { isUnblocked, type StateView } from "./state-view.ts";
import { findingTickets, reviewTickets } from "./tickets.ts";

export type EditJudgement =
  | {
      readonly kind: "accepted";
      readonly reopened: boolean;
      readonly tickets: readonly Ticket[];
      readonly runner_fields: RunnerFields;
    }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Judges a person's edit of STATE.md between passes. Content and notes: anything. The phase of a working task: whatever
 * table and gates allow, never `done`. From blocked and needs_user_decision: any working phase. From done: intake.
 */
export function judgePersonEdit(input: GateInput): EditJudgement {
  const from = input.before.phase;
  const to = input.state.phase;
  if (from === to)
    return { kind: "accepted", reopened: false, tickets: [], runner_fields: readRunnerFields(input.before) };
  if (to === "done") return refused("only the runner sets done, with proof; set `review` and let a pass propose it");
  if (!isWorkingPhase(from)) return judgeReopening(from, to);
  if (!mayPropose(from, to)) return refused(transitionReasons(from, to)[0]?.text ?? `${from} → ${to} is not allowed`);
  // A person may set review before a proof ran: the way to done runs it.
  const failed = judgeGates(from, to, input).filter(({ ok, code }) => !ok && code !== "proof_judged");
  if (failed[0] !== undefined) {
    return refused(`${from} → ${to}: ${failed.map((gate) => gate.failed).join("; ")}`);
  }
  const tickets = to === "repair" ? [...findingTickets(input.state), ...reviewTickets(input.reviews)] : [];
  return {
    kind: "accepted",
    reopened: false,
    tickets,
    runner_fields: afterVerdict(input.before, to, to === "review" ? input.checks : null),
  };
}

/** Whether an edit clears the Blockers of a task held in intake, and so opens it. */
export function clearsHold(stop: RunnerStop | null, after: StateView, from: Phase): boolean {
  return from === "intake" && stop !== null && isUnblocked(after.fields.blockers);
}

/** The phases to which a person may move a terminal task, or one that the runner holds in intake (`held`). */
export function judgeReopening(from: Phase, to: Phase, held = false): EditJudgement {
  if (held && from === "intake" && to === "intake")
    return { kind: "accepted", reopened: true, tickets: [], runner_fields: reopenedFields };
  const allowed: readonly Phase[] =
    from === "done"
      ? ["intake"]
      : Object.values(phases)
          .filter((rule) => rule.next.length > 0)
          .map((rule) => rule.name);
  if (isWorkingPhase(from)) return refused(`the task is not stopped: it is in ${from}`);
  if (!allowed.includes(to)) return refused(`from ${from} a person may set ${allowed.join(", ")}; found ${to}`);
  return { kind: "accepted", reopened: true, tickets: [], runner_fields: reopenedFields };
}

function refused(reason: string): EditJudgement {
  return { kind: "refused", reason };
}

type Known = Pick<TaskHistory, "checks" | "reviews" | "watchAnswers">;

/**
 * Judges a person's past edit of STATE.md by two states and the journal: the table, and the gates about STATE.md and
 * check results. Gates about the disk of that day (proof, open questions, code) count as passed, since the runner
 * checked them then.
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

/** Only the contract names required checks; without a run, their gate refuses. */
function requiredOf(checks: CheckRun | null): string[] {
  return checks === null
    ? ["held"]
    : checks.results.filter(({ kind, required }) => kind === "validator" && required).map(({ name }) => name);
}
