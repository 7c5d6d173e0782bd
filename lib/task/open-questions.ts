import { closedForm, closedForms, isUnclear, wordsOf } from "../documents/closed-questions.ts";
import { goOnTitle, type Question } from "../documents/decisions.ts";
import type { TaskHistory } from "../rules/history.ts";
import { isWorkingPhase, type Phase } from "../rules/phases.ts";
import { waitOf } from "../rules/question-wait.ts";
import type { OpenAsk } from "../rules/standing-facts.ts";
import { isUnblocked } from "../rules/state-view.ts";
import { shorten } from "../text/shorten.ts";

export interface OpenQuestion {
  readonly question: Question;
  /** From when on the runner takes the safe default; null: only a person ends it. */
  readonly takenFrom: Date | null;
  /** The next run takes the safe default. */
  readonly due: boolean;
  /**
   * The condition that ends it, for people, for example `until 2026-01-31T10:30:00.000Z, then its safe default is
   * taken`.
   */
  readonly end: string;
}

/** The part of a task's state on which its questions depend. */
export interface Asking {
  readonly history: Pick<TaskHistory, "stop" | "askedAt" | "askedFrom" | "defaulted">;
  readonly phase: Phase;
  readonly blockers: string;
  readonly questions: readonly Question[];
  /** A person's PAUSE in CONTROL.md is in force. */
  readonly paused: boolean;
  /** `question_wait` of the contract, in milliseconds. */
  readonly waitMs: number;
  readonly now: Date;
}

/** The open questions in the order of the file. */
export function listOpen(asking: Asking): OpenQuestion[] {
  return asking.questions.filter((question) => question.open).map((question) => judge(question, asking));
}

/** What only a person ends. */
const ownTitles: readonly string[] = [goOnTitle, ...Object.values(closedForms).map(({ title }) => title)];

function judge(question: Question, asking: Asking): OpenQuestion {
  const { history, waitMs, now } = asking;
  const make = (takenFrom: Date | null, due: boolean, end: string) => ({ question, takenFrom, due, end });
  const only = (why: string): OpenQuestion => make(null, false, `${why}; it waits for a person`);
  const form = closedForm(question);
  if (form !== null && isUnclear(question))
    return only(`its answer "${shorten(question.answer)}" is neither yes nor no, write ${wordsOf(form)}`);
  if (ownTitles.includes(question.title)) return only("asked by the runner itself");
  const wait = waitOf(question, history.askedAt[question.id] ?? null, waitMs);
  if (wait.kind === "person") return only(wait.why);
  // Taken once: a person who removes that answer wants another one.
  if (history.defaulted.includes(question.id)) return only("its safe default was taken earlier");
  const held = heldBack(asking);
  if (held !== null) return only(held);
  const takenFrom = new Date(wait.at);
  return wait.at <= now.getTime()
    ? make(takenFrom, true, "its deadline has passed; the next run takes its safe default")
    : make(takenFrom, false, `until ${takenFrom.toISOString()}, then its safe default is taken`);
}

/** When the first safe default is taken; null if only a person ends the wait. ISO 8601, UTC. */
export function firstDefault(open: readonly OpenQuestion[]): string | null {
  return open.flatMap(({ takenFrom }) => takenFrom?.toISOString() ?? []).sort()[0] ?? null;
}

/** An open question as the standing of its task takes it. */
export function askOf({ question, takenFrom, due, end }: OpenQuestion): OpenAsk {
  const { id, title, line, options, safeDefault } = question;
  return {
    id,
    title,
    question: question.question,
    options,
    safeDefault,
    ofStop: title === goOnTitle,
    place: `DECISIONS.md:${line}`,
    end,
    takenFrom: takenFrom?.toISOString() ?? null,
    due,
  };
}

/** Why no default is taken here; null if it would let the task continue. */
function heldBack(asking: Asking): string | null {
  const { history, phase, blockers } = asking;
  const stopped = history.stop !== null;
  if (asking.paused) return "the task is paused";
  if (phase === "needs_user_decision")
    return stopped && answeredByPerson(asking).length === 0
      ? "the runner stopped the task, so no default is taken"
      : null;
  if (!isWorkingPhase(phase)) return `the task is ${phase}`;
  return phase === "intake" && stopped && !isUnblocked(blockers) ? "the task is held in intake" : null;
}

/**
 * True if needs_user_decision is over: nothing is open, and a question of this stop has an answer. A question that a
 * person removed from the file blocks nothing, and is not an answer. If the runner itself stopped the task, a person
 * must answer: a default is no permission to try again.
 */
export function isAnswered(asking: Pick<Asking, "history" | "phase" | "questions">): boolean {
  const { history, phase, questions } = asking;
  if (phase !== "needs_user_decision" || history.askedFrom === null) return false;
  if (questions.some((question) => question.open)) return false;
  return (history.stop === null ? answeredOf(asking) : answeredByPerson(asking)).length > 0;
}

/**
 * The answers that nothing has followed yet, as a killed call leaves them: none of an earlier stop, and none to a question of the
 * runner's own, whose answer is followed while others are still open.
 */
export function listUnfollowed(asking: Pick<Asking, "history" | "phase" | "questions">): Question[] {
  return isAnswered(asking) ? answeredOf(asking).filter((question) => closedForm(question) === null) : [];
}

/**
 * The questions that were open when the task stopped and have an answer now; a journal of before may not say which did.
 */
function answeredOf({ history, questions }: Pick<Asking, "history" | "questions">): Question[] {
  const asked = Object.keys(history.askedAt);
  return questions.filter(({ id, open }) => !open && (asked.length === 0 || asked.includes(id)));
}

/** Without those whose safe default was taken. */
export function answeredByPerson(asking: Pick<Asking, "history" | "questions">): Question[] {
  return answeredOf(asking).filter(({ id }) => !asking.history.defaulted.includes(id));
}

export function openIds(questions: readonly Question[]): string[] {
  return questions.filter(({ open }) => open).map(({ id }) => id);
}

/** The open ones as a page takes them, which cannot know when it is read. */
export function timelessAsks(questions: readonly Question[]): OpenAsk[] {
  return questions
    .filter(({ open }) => open)
    .map((question) => askOf({ question, takenFrom: null, due: false, end: "" }));
}
