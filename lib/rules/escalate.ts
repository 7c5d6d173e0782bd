import { answerTo, frameOf } from "./approval.ts";
import type { Decision, Escalation, EscalationCause, Reason, Verdict } from "./decision.ts";
import type { Facts, Policy, Proposal } from "./facts.ts";
import { briefly, renderFailures } from "./failure.ts";
import { noAnswer, renderTrouble } from "./model-end.ts";
import { type Phase, phases } from "./phases.ts";
import { codeChanged } from "./reasons.ts";
import { resumeLine } from "./resume-line.ts";
import { capital, oneLine } from "./wording.ts";

const advice: Readonly<Record<EscalationCause, string>> = {
  stuck: "read the newest pass and last_error.txt, change the brief or the code",
  no_progress: "read the newest pass, ask for a smaller next step in the brief",
  repairs: "read DEFERRED.md, fix or drop what it lists, or raise `budget.repairs` in the brief",
  money: "raise `budget.money_usd` in the brief",
  tokens: "raise `budget.tokens` in the brief",
  time: "raise `budget.time` in the brief",
  passes: "raise `budget.passes` in the brief",
  timeouts: "raise the model's `timeout` or make the next step smaller",
  watched: `write \`accept\` as the Answer in DECISIONS.md to keep exactly these changes, or \`undo\` to have them undone`,
  manual: `answer \`yes\` in DECISIONS.md if all of it is as it should be, or \`no: what is wrong\`, which becomes a ticket`,
  approve: `read Objective, Done gate, Not doing, Reality constraints and Validation plan, answer \`approve\` in DECISIONS.md, or \`no: what to change\``,
  environment: `answer \`yes\` in DECISIONS.md if it is part of the task, or mend it and answer \`done\`: the checks then run once more, before a model is paid`,
  cut_off: "find out what kills the machine or its runner: memory, disk, the end of a container, or a check",
  no_validators: "add at least one command under `validators` in the front matter of README.md",
};

const programAdvice = "read stderr.log of the newest pass, run `task-phase probe` to see whether the model works";

/** Stops without a fault: an answer alone lets the task continue. */
const asks: ReadonlySet<EscalationCause> = new Set(["watched", "manual", "approve", "environment"]);

/** A proposal that only a person's answer about the work held back. */
export function waitsForAnswer(last: Pick<Decision, "escalation"> | null): boolean {
  const cause = last?.escalation?.cause;
  return cause === "manual" || cause === "watched";
}

const stopped = "Stopped by task-phase: ";
const whatHelps = ". What a person can do: ";

export function happenedIn(blockers: string): string {
  const from = blockers.startsWith(stopped) ? stopped.length : 0;
  const to = blockers.lastIndexOf(whatHelps);
  return blockers.slice(from, to === -1 ? blockers.length : to);
}

/**
 * How the runner stops a task: `blocked` if the table allows it, else `needs_user_decision` with a question, else
 * (intake) in place until Blockers are cleared. Without validators, a decision is preferred. `endedBadly`: the model's
 * program did.
 */
export function escalate(
  cause: EscalationCause,
  from: Phase,
  happened: string,
  endedBadly = false,
  task = "TASK",
): Escalation {
  const to = escalationTarget(cause, from);
  const step = endedBadly ? programAdvice : advice[cause];
  const isAsk = asks.has(cause);
  const help = isAsk ? advice[cause] : `${step}, then ${lastStep(cause, from, to, task)}`;
  const blockers = oneLine(`${stopped}${happened}${whatHelps}${help}.`);
  return {
    cause,
    to,
    blockers,
    question:
      to !== "needs_user_decision"
        ? null
        : cause === "watched"
          ? oneLine(`${capital(happened)}. May these changes stay? ${capital(help)}.`)
          : isAsk
            ? oneLine(
                `${capital(happened)}. ${cause === "environment" ? "Is that part of the task? " : ""}${capital(help)}.`,
              )
            : oneLine(`${happened}. How should the task continue? ${capital(help)}.`),
  };
}

/** The phase itself if the table has no stop (intake). */
export function escalationTarget(cause: EscalationCause, from: Phase): Phase {
  const { next } = phases[from];
  if ((cause === "no_validators" || asks.has(cause)) && next.includes("needs_user_decision"))
    return "needs_user_decision";
  if (next.includes("blocked")) return "blocked";
  return next.includes("needs_user_decision") ? "needs_user_decision" : from;
}

function lastStep(cause: EscalationCause, from: Phase, to: Phase, task: string): string {
  if (cause === "no_validators" && to !== from) return "answer the question in DECISIONS.md";
  return `\`${resumeLine(task, from)}\``;
}

export function renderIdle(from: Phase, facts: Pick<Facts, "fingerprint" | "question_problems" | "put_back">): string {
  const answered = facts.put_back.find(({ path }) => path === "DECISIONS.md")?.detail;
  const malformed = facts.question_problems[0] ?? answered;
  if (malformed != null) return `no material progress: a question is not well formed: ${malformed}`;
  return codeChanged(facts)
    ? `no material progress: only code changed, which does not count in ${from}`
    : "no material progress: no code, state or evidence changed";
}

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

export function findEscalation(input: EscalationInput): Escalation | null {
  const { verdict, from, landing, reasons, failure, facts, policy } = input;
  const first = reasons[0];
  const stop = (cause: EscalationCause, happened: string, endedBadly = false) =>
    escalate(cause, from, happened, endedBadly, policy.task);
  if (
    verdict === "rejected" &&
    first?.category === "gate" &&
    reasons.some((reason) => reason.code === "no_required_validator")
  ) {
    return stop("no_validators", "the contract has no required validator, so no run can prove the work");
  }
  // Ask a person only if nothing else is wrong.
  const codes = reasons.filter(({ category }) => category === "gate").map(({ code }) => code);
  if (
    verdict === "rejected" &&
    first?.category === "gate" &&
    codes.every((code) => code === "watched_open" || code === "manual_open")
  ) {
    return stop(codes.includes("watched_open") ? "watched" : "manual", first.text);
  }
  if (verdict === "accepted" && from === "shape" && landing === "implement" && asksApproval(input))
    return stop("approve", "nothing is built before a person approves the frame in STATE.md");
  if (failure !== null && failure.count > policy.retries_per_failure) {
    const cause = verdict === "no_progress" ? "no_progress" : "stuck";
    const trouble = renderTrouble(facts.end);
    const reason = verdict === "no_progress" ? renderIdle(from, facts) : (first?.text ?? verdict);
    return stop(cause, renderFailures(failure, reason, trouble), trouble !== null);
  }
  if (landing === "repair" && from !== "repair" && facts.history.repairs >= policy.budget.repairs) {
    return stop(
      "repairs",
      `${spentRepairs(policy)} and the work still fails (${briefly(first?.text ?? "findings are open")})`,
    );
  }
  if (gaveUpRepair(from, facts) && facts.history.repairs >= policy.budget.repairs) {
    return stop("repairs", `${spentRepairs(policy)}, and a person skipped the last one`);
  }
  if (facts.end.kind === "timed_out" && first?.code !== noAnswer && facts.history.timeouts_in_row >= 2) {
    return stop("timeouts", renderTimeouts(facts.history.timeouts_in_row + 1, facts.end.role));
  }
  return null;
}

/** The gates pass, so no person has refused this frame. */
function asksApproval({ proposal, facts, policy }: EscalationInput): boolean {
  if (!policy.approve.includes("shape") || proposal.kind !== "read") return false;
  return answerTo(frameOf(proposal.state), facts.approvals) === null;
}

/** Only the newest timeout has a known role. */
function renderTimeouts(times: number, role: string | undefined): string {
  return role === undefined
    ? `the model timed out ${times} times in a row`
    : `${times} passes in a row timed out, the newest in reviewer ${role}, before the model was called`;
}

function spentRepairs({ budget: { repairs } }: Policy): string {
  if (repairs === 0) return "the budget has no repairs";
  return repairs === 1 ? "the one repair is spent" : `all ${repairs} repairs are spent`;
}

function gaveUpRepair(from: Phase, { end }: Facts): boolean {
  return from === "repair" && end.kind === "interrupted" && end.cause === "skip";
}
