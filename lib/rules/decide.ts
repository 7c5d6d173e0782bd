import { frameOf } from "./approval.ts";
import { findOverBounds } from "./bounds.ts";
import { failedChecks } from "./check-run.ts";
import type { Decision, Reason, ReasonCategory, RunnerFields, Verdict } from "./decision.ts";
import { findEscalation, renderIdle } from "./escalate.ts";
import { exitOfVerdict } from "./exits.ts";
import { type Before, type Facts, manualAt, type Policy, type Proposal } from "./facts.ts";
import { addFailure, failureSignature } from "./failure.ts";
import { type Gate, resultOf } from "./gate.ts";
import { judgeGates } from "./gates.ts";
import { findingsKept } from "./gates-review.ts";
import { headlineOf } from "./headline.ts";
import { passedManual } from "./manual.ts";
import { gradeProof, type Proof } from "./matrix.ts";
import { renderTrouble } from "./model-end.ts";
import { mayPropose, type Phase } from "./phases.ts";
import {
  endReasons,
  gateReasons,
  measureProgress,
  proposalReasons,
  tamperReasons,
  transitionReasons,
} from "./reasons.ts";
import { afterVerdict } from "./runner-fields.ts";
import { writeTickets } from "./tickets.ts";
import { reasonCategories } from "./words.ts";

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
 * The verdict on a pass, a pure function: pass.json records the arguments, and `task-phase check` decides on them
 * again. Reasons are judged in the order of `reasonCategories`: the first decides, all are listed.
 */
export function decide(before: Before, proposal: Proposal, facts: Facts, policy: Policy): Decision {
  const from = before.state.phase;
  const proposed = proposal.kind === "read" ? proposal.state.phase : null;
  const gates = openGates(before, proposal, facts, policy);
  const progress = proposal.kind === "read" ? measureProgress(before.state, proposal.state, facts) : [];
  const waits = waitsForReviewers(gates);
  const reasons = collectReasons(before, proposal, facts, waits ? [] : gates);
  if (proposal.kind === "read" && progress.length === 0 && !isRunAgain(before, proposal, facts)) {
    reasons.push({ category: "progress", code: "no_progress", text: renderNoProgress(from, reasons, facts) });
  }
  const verdict = reasons[0] === undefined ? "accepted" : verdictOf[reasons[0].category];
  const tickets = writeTickets(verdict, before, proposal, { facts, policy });
  const failure = countFailure(verdict, reasons, facts);
  const landing = landingPhase(verdict, from, waits ? from : proposed);
  const manual = manualAt(facts, policy);
  const over = findOverBounds(from, facts.change, policy.bounds);
  const proof =
    facts.matrix === null ? null : { ...gradeProof(facts.checks, facts.matrix), looked: passedManual(manual) };
  const escalation = findEscalation({ verdict, from, landing, reasons, failure, facts, policy, proposal });
  const to = escalation?.to ?? landing;
  return {
    verdict,
    from,
    proposed,
    to,
    reason: reasons[0]?.text ?? (waits ? renderWait(facts) : renderAcceptance(from, to, proof, facts)),
    reasons,
    gates: gates.map(resultOf),
    progress,
    tickets,
    failure,
    escalation,
    over_bounds: over,
    frame: escalation?.cause === "approve" && proposal.kind === "read" ? frameOf(proposal.state) : null,
    runner_fields: runnerFieldsAfter(verdict, before, landing, facts),
    proof,
    manual: facts.checks === null ? [] : manual,
    exit_name: exitOfVerdict(verdict, to, escalation, facts.open_questions.length > 0),
  };
}

/** Whether a move that needs checks is proposed, or they run again in review, and nothing judged earlier has decided. */
export function callsForChecks(before: Before, proposal: Proposal, facts: Facts): boolean {
  if (proposal.kind !== "read") return false;
  const earlier = [
    ...endReasons(before.state, proposal, facts),
    ...tamperReasons(facts),
    ...proposalReasons(proposal, facts),
    ...transitionReasons(before.state.phase, proposal.state.phase),
  ];
  const move = `${before.state.phase} → ${proposal.state.phase}`;
  const isJudged = move === "verify → review" || move === "review → done" || isRunAgain(before, proposal, facts);
  return earlier.length === 0 && isJudged;
}

/** The checks of the accepted verify → review run again, on code that a person moved since. */
function isRunAgain({ state }: Before, proposal: Proposal, { end }: Facts): boolean {
  const stays = proposal.kind === "read" && proposal.state.phase === "review";
  return end.kind === "no_model" && state.phase === "review" && stays;
}

const frameWaits =
  "the frame is accepted and stays in shape: its reviewers look at it before the next pass, and nothing is built until then";

function renderWait(facts: Facts): string {
  return facts.moved_by_person
    ? "a person moved the code during the pass: the checks run again, and the review is made on that code"
    : frameWaits;
}

function waitsForReviewers(gates: readonly Gate[]): boolean {
  const failed = gates.filter(({ ok }) => !ok);
  return failed.length > 0 && failed.every(({ onFailure }) => onFailure === "wait");
}

/** Adds the program's reason, unless an earlier one has it. */
function renderNoProgress(from: Phase, earlier: readonly Reason[], facts: Facts): string {
  const what = renderIdle(from, facts);
  const trouble = earlier.some(({ code }) => code === "nothing_happened") ? null : renderTrouble(facts.end);
  return trouble === null ? what : `${what}; the model ${trouble}`;
}

function openGates(before: Before, proposal: Proposal, facts: Facts, policy: Policy): Gate[] {
  if (proposal.kind !== "read" || !mayPropose(before.state.phase, proposal.state.phase)) return [];
  const input = { ...facts, before: before.state, state: proposal.state, policy };
  return [
    ...judgeGates(isRunAgain(before, proposal, facts) ? "verify" : before.state.phase, proposal.state.phase, input),
    ...findingsKept(before.state, proposal.state),
  ];
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

function countFailure(verdict: Verdict, reasons: readonly Reason[], facts: Facts): Decision["failure"] {
  if (verdict !== "redirected" && verdict !== "rejected" && verdict !== "no_progress") return null;
  const failed = verdict === "redirected" && facts.checks !== null ? failedChecks(facts.checks) : [];
  const signature = failureSignature(verdict, reasons, failed);
  return addFailure(facts.history.failure, signature, facts.pass);
}

function runnerFieldsAfter(verdict: Verdict, before: Before, landing: Phase, facts: Facts): RunnerFields {
  const counted = verdict === "accepted" || verdict === "redirected" ? facts.checks : null;
  return afterVerdict(before.state, landing, counted);
}

function renderAcceptance(from: Phase, to: Phase, proof: Proof | null, facts: Facts): string {
  const { questions_asked: asked, end } = facts;
  if (from === to && end.kind === "no_model") return "the checks pass on the code as a person left it";
  if (to === "done" && proof !== null) return headlineOf(proof).text;
  if (from === to && asked.length > 0) return `asks ${asked.join(", ")}`;
  return from === to ? `progress in ${from}` : `${from} → ${to}`;
}
