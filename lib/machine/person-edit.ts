import type { RunnerFields, Ticket } from "./decision.ts";
import type { GateInput } from "./gate.ts";
import { judgeGates } from "./gates.ts";
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
 * What a person may do to STATE.md between passes. Content and notes: anything. The phase of a working task: what the
 * table and the gates allow, never `done`. From blocked and needs_user_decision: any working phase. From done: intake.
 */
export function judgePersonEdit(input: GateInput): EditJudgement {
  const from = input.before.phase;
  const to = input.state.phase;
  if (from === to)
    return { kind: "accepted", reopened: false, tickets: [], runner_fields: readRunnerFields(input.before) };
  if (to === "done") return refused("only the runner sets done, with proof; set `review` and let a pass propose it");
  if (!isWorkingPhase(from)) return judgeReopening(from, to);
  if (!mayPropose(from, to)) return refused(transitionReasons(from, to)[0]?.text ?? `${from} → ${to} is not allowed`);
  // Without a proof square yet, a person may set review: the way from there to done runs it.
  const failed = judgeGates(from, to, input).filter(({ ok, code }) => !ok && code !== "square_judged");
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

/** True if an edit opens a task again that the runner held in intake, since nothing is in Blockers any more. */
export function clearsHold(stop: RunnerStop | null, after: StateView, from: Phase): boolean {
  return from === "intake" && stop !== null && isUnblocked(after.fields.blockers);
}

/** Where a person may take a terminal task, and one that the runner holds in intake (`held`): that continues there. */
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
