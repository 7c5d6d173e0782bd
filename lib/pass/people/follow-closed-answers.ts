import { closedForms } from "../../documents/closed-questions.ts";
import type { Question } from "../../documents/decisions.ts";
import type { TaskEvent } from "../../rules/events.ts";
import { standManual } from "../../rules/manual.ts";
import { readPlainAnswer } from "../../rules/plain-answer.ts";
import { manualTickets, watchedTickets } from "../../rules/tickets.ts";
import { accept, type TaskSession } from "../../task/session.ts";
import { infoFinding } from "../../text/finding.ts";
import { shorten } from "../../text/shorten.ts";

/** Takes a person's plain yes or no to the runner's own questions, whatever phase the task is in by now. */
export function followClosedAnswers(session: TaskSession, questions: readonly Question[]): void {
  followWatchAnswer(session, questions);
  followManualAnswer(session, questions);
  followFrameAnswer(session, questions);
  followEnvironmentAnswer(session, questions);
}

/** About checks that cannot run here: any word but a plain yes has them run once more. */
function followEnvironmentAnswer(session: TaskSession, questions: readonly Question[]): void {
  const { environmentAsked: asked } = session.history;
  const question = asked === null ? undefined : findQuestion(questions, asked);
  if (asked === null || question === undefined || question.open) return;
  const part = readPlainAnswer(question.answer) === "yes";
  const at = session.ports.now().toISOString();
  const event = { type: "environment_answered", at, question: asked, part_of_task: part } as const;
  const what = part ? "the work begins" : "the checks run once more before the work";
  acceptAnswer(session, event, "TP_ENVIRONMENT_ANSWERED", `${asked} is answered: ${what}`);
}

/** About tests and checks: yes keeps exactly those changes, as their digests say; no makes a ticket of each. */
function followWatchAnswer(session: TaskSession, questions: readonly Question[]): void {
  const { watchAsked: asked, askedAt } = session.history;
  if (asked.length === 0) return;
  const answer = readAnswer(session, newestWatched(questions, Object.keys(askedAt)));
  if (answer === null) return;
  const { id: question, yes: accepted } = answer;
  const changes = asked.map(({ name, digest }) => ({ name, digest }));
  const tickets = accepted ? [] : watchedTickets(asked, shorten(answer.words, 200));
  const what = accepted ? "exactly these changes may stay" : "each change is now a ticket";
  const event = { type: "watch_answered", at: answer.at, question, accepted, changes, tickets } as const;
  acceptAnswer(session, event, "TP_WATCH_ANSWERED", `${question} about tests and checks is answered: ${what}`);
}

function newestWatched(questions: readonly Question[], asked: readonly string[]): Question | undefined {
  const own = questions.filter(
    ({ id, title }) => title === closedForms.watched.title && (asked.length === 0 || asked.includes(id)),
  );
  return own.sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))).at(-1);
}

/**
 * About what a person has to look at: yes says that all of it is as it should be; no makes a ticket of each scenario. It
 * holds for exactly the code that the question was about.
 */
function followManualAnswer(session: TaskSession, questions: readonly Question[]): void {
  const asked = session.history.lookAsked;
  const answer = readAnswer(session, findQuestion(questions, asked?.question));
  if (asked === null || answer === null) return;
  const { fingerprint, scenarios } = asked;
  const { at, id: question, yes: holds } = answer;
  const said = oneLine(answer.words);
  const answers = scenarios.map((scenario) => ({ ...scenario, fingerprint, holds, said, question }));
  const tickets = manualTickets(standManual(scenarios, answers, fingerprint));
  const what = holds ? "a person looked and said yes" : "what a person said is now a ticket";
  const event = { type: "looked", at, question, fingerprint, holds, said, scenarios, tickets } as const;
  acceptAnswer(session, event, "TP_LOOKED", `${question} is answered: ${what}`);
}

/** About the frame: yes lets the work begin with exactly these words; no rejects this frame, and says what to change. */
function followFrameAnswer(session: TaskSession, questions: readonly Question[]): void {
  const asked = session.history.frameAsked;
  const answer = readAnswer(session, findQuestion(questions, asked?.question));
  if (asked === null || answer === null) return;
  const { at, id, yes: approved } = answer;
  const what = approved ? "a person approved the frame" : "a person asked for changes to the frame";
  const event = { type: "approved", at, ...asked, approved, said: oneLine(answer.words) } as const;
  acceptAnswer(session, event, "TP_FRAME_ANSWERED", `${id} is answered: ${what}`);
}

function findQuestion(questions: readonly Question[], id: string | undefined): Question | undefined {
  return questions.find((question) => question.id === id);
}

function oneLine(words: string): string {
  return shorten(words.replace(/\s+/g, " "), 500);
}

/** Null while the question is open, or answered with other words. */
function readAnswer({ ports }: TaskSession, question: Question | undefined) {
  const read = question === undefined || question.open ? null : readPlainAnswer(question.answer);
  if (question === undefined || read === null) return null;
  const words = ports.redactor.redact(question.answer);
  return { id: question.id, at: ports.now().toISOString(), yes: read === "yes", words };
}

function acceptAnswer(session: TaskSession, event: TaskEvent, code: string, message: string): void {
  accept(session, { event, state: null });
  session.findings.push(infoFinding(code, message, { file: session.place.decisions }));
}
