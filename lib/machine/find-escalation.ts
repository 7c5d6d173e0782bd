import { answerTo, frameOf } from "./approval.ts";
import type { Decision, Escalation, Reason, Verdict } from "./decision.ts";
import { escalate } from "./escalate.ts";
import type { Facts, Policy, Proposal } from "./facts.ts";
import { briefly, describeFailures } from "./failure.ts";
import { describeTrouble, noAnswer } from "./model-end.ts";
import type { Phase } from "./phases.ts";
import { codeChanged } from "./progress.ts";

/** The reason of a pass without progress. */
export function describeIdle(from: Phase, facts: Pick<Facts, "fingerprint">): string {
  return codeChanged(facts)
    ? `no material progress: only code changed, which does not count in ${from}`
    : "no material progress: no code, state or evidence changed";
}

/** What a verdict has come to before the runner may stop the task because of it. */
export interface EscalationInput {
  readonly verdict: Verdict;
  readonly from: Phase;
  readonly landing: Phase;
  readonly reasons: readonly Reason[];
  readonly failure: Decision["failure"];
  readonly facts: Facts;
  readonly policy: Policy;
  readonly proposal: Proposal;
}

/** Why the runner stops the task with this verdict; null if it does not. */
export function findEscalation(input: EscalationInput): Escalation | null {
  const { verdict, from, landing, reasons, failure, facts, policy } = input;
  const first = reasons[0];
  if (
    verdict === "rejected" &&
    first?.category === "gate" &&
    reasons.some((reason) => reason.code === "no_required_validator")
  ) {
    return escalate("no_validators", from, "the contract has no required validator, so no run can prove the work");
  }
  // A person is asked only if nothing else is wrong.
  const codes = gateCodes(reasons);
  if (verdict === "rejected" && first?.category === "gate" && codes.every(asksPerson)) {
    return escalate(codes.includes("watched_open") ? "watched" : "manual", from, first.text);
  }
  if (verdict === "accepted" && from === "shape" && landing === "implement" && asksApproval(input))
    return escalate("approve", from, "nothing is built before a person approves the frame in STATE.md");
  if (failure !== null && failure.count > policy.retries_per_failure) {
    const cause = verdict === "no_progress" ? "no_progress" : "stuck";
    const trouble = describeTrouble(facts.end);
    const reason = verdict === "no_progress" ? describeIdle(from, facts) : (first?.text ?? verdict);
    return escalate(cause, from, describeFailures(failure, reason, trouble), trouble !== null);
  }
  if (landing === "repair" && from !== "repair" && facts.history.repairs >= policy.budget.repairs) {
    return escalate(
      "repairs",
      from,
      `${spentRepairs(policy)} and the work still fails (${briefly(first?.text ?? "findings are open")})`,
    );
  }
  if (gaveUpRepair(from, facts) && facts.history.repairs >= policy.budget.repairs) {
    return escalate("repairs", from, `${spentRepairs(policy)}, and a person skipped the last one`);
  }
  if (facts.end.kind === "timed_out" && first?.code !== noAnswer && facts.history.timeouts_in_row >= 2) {
    return escalate("timeouts", from, describeTimeouts(facts.history.timeouts_in_row + 1, facts.end.role));
  }
  return null;
}

/** The gates hold: a frame that a person refused does not come here. */
function asksApproval({ proposal, facts, policy }: EscalationInput): boolean {
  if (!policy.approve.includes("shape") || proposal.kind !== "read") return false;
  return answerTo(frameOf(proposal.state), facts.approvals) === null;
}

function gateCodes(reasons: readonly Reason[]): string[] {
  return reasons.filter(({ category }) => category === "gate").map(({ code }) => code);
}

function asksPerson(code: string): boolean {
  return code === "watched_open" || code === "manual_open";
}

/** Only the newest timeout is known to be the model's or a reviewer's. */
function describeTimeouts(times: number, role: string | undefined): string {
  return role === undefined
    ? `the model timed out ${times} times in a row`
    : `${times} passes in a row timed out, the newest in reviewer ${role}, before the model was called`;
}

function spentRepairs({ budget: { repairs } }: Policy): string {
  if (repairs === 0) return "the budget has no repairs";
  return repairs === 1 ? "the one repair is spent" : `all ${repairs} repairs are spent`;
}

/** The next pass would be another attempt at the same repair. */
function gaveUpRepair(from: Phase, { end }: Facts): boolean {
  return from === "repair" && end.kind === "interrupted" && end.cause === "skip";
}
