import type { Escalation, EscalationCause } from "./facts.ts";
import { type Phase, phases } from "./phases.ts";

const advice: Readonly<Record<EscalationCause, string>> = {
  stuck: "look at the newest pass and at last_error.txt, change the brief or the code",
  no_progress: "look at the newest pass, make the next step smaller in the brief",
  repairs: "read DEFERRED.md, fix or drop what stands there or raise `budget.repairs` in the brief",
  money: "raise `budget.money_usd` in the brief",
  tokens: "raise `budget.tokens` in the brief",
  time: "raise `budget.time` in the brief",
  passes: "raise `budget.passes` in the brief",
  timeouts: "raise the model's `timeout` or make the next step smaller",
  watched: `write \`accept\` as the Answer in DECISIONS.md to let exactly these changes stand, or anything else to have them put back`,
  no_validators: "add at least one command under `validators` in the front matter of README.md",
};

/** No brief helps a program that ends badly. */
const programAdvice = "read stderr.log of the newest pass, see with `task-phase probe` whether the model works";

const stopped = "Stopped by task-phase: ";
const whatHelps = ". What a person can do: ";

/** What happened, out of the Blockers that `escalate` wrote. */
export function happenedIn(blockers: string): string {
  const from = blockers.startsWith(stopped) ? stopped.length : 0;
  const to = blockers.lastIndexOf(whatHelps);
  return blockers.slice(from, to === -1 ? blockers.length : to);
}

/**
 * How the runner itself stops a task: `blocked` where the table allows that from the phase, else
 * `needs_user_decision` with a question, else (intake) the phase is kept and no pass runs until Blockers are cleared.
 * A task without validators always needs a decision where the table allows one. `endedBadly`: the model's program did.
 */
export function escalate(cause: EscalationCause, from: Phase, happened: string, endedBadly = false): Escalation {
  const to = escalationTarget(cause, from);
  const step = endedBadly ? programAdvice : advice[cause];
  const help = cause === "watched" ? advice[cause] : `${step}, then ${lastStep(cause, from, to)}`;
  const blockers = oneLine(`${stopped}${happened}${whatHelps}${help}.`);
  return {
    cause,
    to,
    blockers,
    question:
      to !== "needs_user_decision"
        ? null
        : cause === "watched"
          ? oneLine(`${capital(happened)}. May that stand? ${capital(help)}.`)
          : oneLine(`${happened}. How should the task go on? ${capital(help)}.`),
  };
}

function escalationTarget(cause: EscalationCause, from: Phase): Phase {
  const { next } = phases[from];
  if ((cause === "no_validators" || cause === "watched") && next.includes("needs_user_decision"))
    return "needs_user_decision";
  if (next.includes("blocked")) return "blocked";
  return next.includes("needs_user_decision") ? "needs_user_decision" : from;
}

function lastStep(cause: EscalationCause, from: Phase, to: Phase): string {
  if (to === from) return "clear Blockers";
  return cause === "no_validators" && to === "needs_user_decision"
    ? "answer the question in DECISIONS.md"
    : "set a working phase";
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
