import { failedChecks } from "./check-run.ts";
import { escalate } from "./escalate.ts";
import type {
  Before,
  Decision,
  Escalation,
  Facts,
  Policy,
  Proposal,
  Reason,
  ReasonCategory,
  RunnerFields,
  Ticket,
  Verdict,
} from "./facts.ts";
import { reasonCategories } from "./facts.ts";
import { addFailure, briefly, failureSignature, tellFailures } from "./failure.ts";
import type { Gate } from "./gate.ts";
import { judgeGates } from "./gates.ts";
import { headlineOf } from "./headline.ts";
import { describeTrouble } from "./model-end.ts";
import { mayPropose, type Phase } from "./phases.ts";
import { measureProgress } from "./progress.ts";
import { endReasons, gateReasons, proposalReasons, tamperReasons, transitionReasons } from "./reasons.ts";
import { afterVerdict } from "./runner-fields.ts";
import { gradeProof, type Proof } from "./square.ts";
import {
  checkTickets,
  findingTickets,
  movedTicket,
  protectedTickets,
  reviewTickets,
  squareTickets,
  watchedTickets,
} from "./tickets.ts";
import { refusedChanges } from "./watched.ts";

const verdictOf: Readonly<Record<ReasonCategory, Verdict>> = {
  interrupted: "interrupted",
  unavailable: "unavailable",
  tampering: "rejected",
  unreadable: "rejected",
  illegal: "rejected",
  redirect: "redirected",
  gate: "rejected",
  progress: "no_progress",
};

/**
 * The verdict on one pass: a pure function of recorded facts. The same arguments give the same decision, always; they
 * are written to pass.json, and `task-phase check` calls this function on them again.
 *
 * The reasons are judged in the order of `reasonCategories`: the first decides, all are listed.
 */
export function decide(before: Before, proposal: Proposal, facts: Facts, policy: Policy): Decision {
  const from = before.state.phase;
  const proposed = proposal.kind === "read" ? proposal.state.phase : null;
  const gates = openGates(before, proposal, facts, policy);
  const progress = proposal.kind === "read" ? measureProgress(before.state, proposal.state, facts) : [];
  const reasons = collectReasons(before, proposal, facts, gates);
  if (proposal.kind === "read" && progress.length === 0) {
    reasons.push({ category: "progress", code: "no_progress", text: tellNoProgress(reasons, facts) });
  }
  const verdict = reasons[0] === undefined ? "accepted" : verdictOf[reasons[0].category];
  const tickets = writeTickets(verdict, before, proposal, { facts, policy });
  const failure = countFailure(verdict, reasons, facts);
  const landing = landingPhase(verdict, from, proposed);
  const proof = facts.square === undefined ? null : gradeProof(facts.checks, facts.square);
  const escalation = findEscalation({ verdict, from, landing, reasons, failure, facts, policy });
  const to = escalation?.to ?? landing;
  return {
    verdict,
    from,
    proposed,
    to,
    reason: reasons[0]?.text ?? describeAcceptance(from, to, proof),
    reasons,
    gates: gates.map(({ gate, ok, detail }) => ({ gate, ok, detail })),
    progress,
    tickets,
    failure,
    escalation,
    runner_fields: runnerFieldsAfter(verdict, before, landing, facts),
    ...(proof === null ? {} : { proof }),
    exit_name: exitOf(verdict, to, escalation),
  };
}

/**
 * True where the proposal calls for the contract's checks: verify → review or review → done, and nothing that is
 * judged before them has decided already.
 */
export function callsForChecks(before: Before, proposal: Proposal, facts: Facts): boolean {
  if (proposal.kind !== "read") return false;
  const earlier = [
    ...endReasons(before.state, proposal, facts),
    ...tamperReasons(facts),
    ...proposalReasons(proposal, facts),
    ...transitionReasons(before.state.phase, proposal.state.phase),
  ];
  const move = `${before.state.phase} → ${proposal.state.phase}`;
  return earlier.length === 0 && (move === "verify → review" || move === "review → done");
}

const noProgress = "no material progress: no code, state or evidence changed";

/** With the reason where the program has one, unless an earlier reason tells it. */
function tellNoProgress(earlier: readonly Reason[], { end }: Facts): string {
  const trouble = earlier.some(({ code }) => code === "nothing_happened") ? null : describeTrouble(end);
  return trouble === null ? noProgress : `${noProgress}; the model ${trouble}`;
}

function openGates(before: Before, proposal: Proposal, facts: Facts, policy: Policy): Gate[] {
  if (proposal.kind !== "read" || !mayPropose(before.state.phase, proposal.state.phase)) return [];
  return judgeGates(before.state.phase, proposal.state.phase, {
    before: before.state,
    state: proposal.state,
    checks: facts.checks,
    fingerprint: standingFingerprint(facts),
    known_features: facts.known_features,
    reviewed_fingerprint: facts.reviewed_fingerprint,
    evidence: facts.evidence,
    feature_proofs: facts.feature_proofs,
    steps: facts.steps.after,
    open_questions: facts.open_questions,
    ...(facts.reviews === undefined ? {} : { reviews: facts.reviews }),
    ...(facts.watched === undefined ? {} : { watched: facts.watched }),
    ...(facts.square === undefined ? {} : { square: facts.square }),
    promise_seen: facts.promise_seen,
    ...(facts.promise_problem === undefined ? {} : { promise_problem: facts.promise_problem }),
    policy,
  });
}

/** Of the code that stands when the verdict is made, as far as anything looked. */
function standingFingerprint({ fingerprint, checks }: Facts): string {
  return fingerprint.present ?? checks?.fingerprint_after ?? fingerprint.after;
}

function collectReasons(before: Before, proposal: Proposal, facts: Facts, gates: readonly Gate[]): Reason[] {
  const reasons = [
    ...endReasons(before.state, proposal, facts),
    ...tamperReasons(facts),
    ...proposalReasons(proposal, facts),
    ...(proposal.kind === "read" ? transitionReasons(before.state.phase, proposal.state.phase) : []),
    ...gateReasons(gates),
  ];
  return reasons.sort((a, b) => reasonCategories.indexOf(a.category) - reasonCategories.indexOf(b.category));
}

function landingPhase(verdict: Verdict, from: Phase, proposed: Phase | null): Phase {
  if (verdict === "redirected") return "repair";
  return verdict === "accepted" && proposed !== null ? proposed : from;
}

function writeTickets(
  verdict: Verdict,
  before: Before,
  proposal: Proposal,
  { facts, policy }: { readonly facts: Facts; readonly policy: Policy },
): Ticket[] {
  if (verdict === "rejected") return protectedTickets(facts);
  if (proposal.kind !== "read") return [];
  const fromReviewers = reviewTickets(facts.reviews ?? []);
  const fromWatch = watchedTickets(refusedChanges(facts.watched ?? [], facts.square));
  if (verdict === "accepted" && proposal.state.phase === "repair" && before.state.phase !== "repair") {
    return [...fromReviewers, ...fromWatch, ...findingTickets(before.state, proposal.state)];
  }
  if (verdict !== "redirected") return [];
  const fromChecks = facts.checks === null ? [] : checkTickets(facts.checks);
  const moved = before.state.phase === "review" && standingFingerprint(facts) !== facts.reviewed_fingerprint;
  return [
    ...fromChecks,
    ...squareTickets(facts, policy),
    ...fromReviewers,
    ...fromWatch,
    ...(moved ? [movedTicket(facts)] : []),
    ...findingTickets(before.state, proposal.state),
  ];
}

function countFailure(verdict: Verdict, reasons: readonly Reason[], facts: Facts): Decision["failure"] {
  if (verdict !== "redirected" && verdict !== "rejected" && verdict !== "no_progress") return null;
  const failed = verdict === "redirected" && facts.checks !== null ? failedChecks(facts.checks) : [];
  const signature = failureSignature(verdict, reasons, failed);
  return addFailure(facts.history.failure, signature, facts.pass);
}

interface EscalationInput {
  readonly verdict: Verdict;
  readonly from: Phase;
  readonly landing: Phase;
  readonly reasons: readonly Reason[];
  readonly failure: Decision["failure"];
  readonly facts: Facts;
  readonly policy: Policy;
}

function findEscalation(input: EscalationInput): Escalation | null {
  const { verdict, from, landing, reasons, failure, facts, policy } = input;
  const first = reasons[0];
  if (
    verdict === "rejected" &&
    first?.category === "gate" &&
    reasons.some((reason) => reason.code === "no_required_validator")
  ) {
    return escalate("no_validators", from, "the contract has no required validator, so no run can prove the work");
  }
  // A person is asked only where nothing else is wrong.
  if (verdict === "rejected" && first?.category === "gate" && gateCodes(reasons).every(isWatchCode)) {
    return escalate("watched", from, first.text);
  }
  if (failure !== null && failure.count > policy.retries_per_failure) {
    const cause = verdict === "no_progress" ? "no_progress" : "stuck";
    const trouble = describeTrouble(facts.end);
    const reason = verdict === "no_progress" ? noProgress : (first?.text ?? verdict);
    return escalate(cause, from, tellFailures(failure, reason, trouble), trouble !== null);
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
  if (facts.end.kind === "timed_out" && facts.history.timeouts_in_row >= 2) {
    return escalate("timeouts", from, tellTimeouts(facts.history.timeouts_in_row + 1, facts.end.role));
  }
  return null;
}

function gateCodes(reasons: readonly Reason[]): string[] {
  return reasons.filter(({ category }) => category === "gate").map(({ code }) => code);
}

function isWatchCode(code: string): boolean {
  return code === "watched_open";
}

/** Of earlier timeouts it is not counted who did not end; of the newest it is known. */
function tellTimeouts(times: number, role: string | undefined): string {
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

function runnerFieldsAfter(verdict: Verdict, before: Before, landing: Phase, facts: Facts): RunnerFields {
  const counted = verdict === "accepted" || verdict === "redirected" ? facts.checks : null;
  return afterVerdict(before.state, landing, counted);
}

function exitOf(verdict: Verdict, to: Phase, escalation: Escalation | null): Decision["exit_name"] {
  switch (escalation?.cause) {
    case "stuck":
    case "no_progress":
      return "no_progress";
    case "timeouts":
      return "unavailable";
    case "passes":
      return "iterations";
    case "money":
    case "tokens":
    case "time":
      return "budget";
    case "no_validators":
    case "watched":
      return "needs_user_decision";
    case "repairs":
      return to === "blocked" ? "blocked" : "needs_user_decision";
    case undefined:
      break;
  }
  if (verdict === "interrupted") return "paused";
  if (verdict === "rejected" || verdict === "no_progress" || verdict === "unavailable") return verdict;
  return to === "blocked" || to === "needs_user_decision" ? to : "ok";
}

function describeAcceptance(from: Phase, to: Phase, proof: Proof | null): string {
  if (to === "done" && proof !== null) return headlineOf(proof).text;
  return from === to ? `progress in ${from}` : `${from} → ${to}`;
}
