import type { Escalation, EscalationCause } from "./decision.ts";
import { type Phase, phases } from "./phases.ts";

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
  cut_off: "find out what kills the machine or its runner: memory, disk, the end of a container, or a check",
  no_validators: "add at least one command under `validators` in the front matter of README.md",
};

/** No brief helps a program that ends badly. */
const programAdvice = "read stderr.log of the newest pass, run `task-phase probe` to see whether the model works";

/** What the runner asks where nothing is wrong: an answer alone lets the task continue. */
const asks: ReadonlySet<EscalationCause> = new Set(["watched", "manual", "approve"]);

const stopped = "Stopped by task-phase: ";
const whatHelps = ". What a person can do: ";

/** Reads what happened from the Blockers that `escalate` wrote. */
export function happenedIn(blockers: string): string {
  const from = blockers.startsWith(stopped) ? stopped.length : 0;
  const to = blockers.lastIndexOf(whatHelps);
  return blockers.slice(from, to === -1 ? blockers.length : to);
}

/**
 * How the runner itself stops a task: `blocked` if the table allows that from the phase, else
 * `needs_user_decision` with a question, else (intake) the phase is kept and no pass runs until Blockers are cleared.
 * A task without validators always needs a decision if the table allows one. `endedBadly`: the model's program did.
 */
export function escalate(cause: EscalationCause, from: Phase, happened: string, endedBadly = false): Escalation {
  const to = escalationTarget(cause, from);
  const step = endedBadly ? programAdvice : advice[cause];
  const isAsk = asks.has(cause);
  const help = isAsk ? advice[cause] : `${step}, then ${lastStep(cause, from, to)}`;
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
            ? oneLine(`${capital(happened)}. ${capital(help)}.`)
            : oneLine(`${happened}. How should the task continue? ${capital(help)}.`),
  };
}

/** If the runner stops a task: the phase itself if the table has no stop (intake). */
export function escalationTarget(cause: EscalationCause, from: Phase): Phase {
  const { next } = phases[from];
  if ((cause === "no_validators" || asks.has(cause)) && next.includes("needs_user_decision"))
    return "needs_user_decision";
  if (next.includes("blocked")) return "blocked";
  return next.includes("needs_user_decision") ? "needs_user_decision" : from;
}

function lastStep(cause: EscalationCause, from: Phase, to: Phase): string {
  if (to === from) return "clear Blockers";
  return cause === "no_validators" ? "answer the question in DECISIONS.md" : "set a working phase";
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
