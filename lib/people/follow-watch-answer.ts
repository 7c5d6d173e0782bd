import { readPlainAnswer } from "../machine/plain-answer.ts";
import { watchedTickets } from "../machine/tickets.ts";
import { infoFinding } from "../report/finding.ts";
import { accept, type TaskSession } from "../task/session.ts";
import { closedForms } from "../task-folder/closed-questions.ts";
import type { Question } from "../task-folder/decisions.ts";
import { shorten } from "../text/shorten.ts";

/**
 * A person answered what the runner asked about tests and checks. A plain yes keeps exactly those changes, as their
 * digests say; a plain no makes a ticket of each. Whatever phase the task is in by now.
 */
export function followWatchAnswer(session: TaskSession, questions: readonly Question[]): void {
  const { place, history, ports } = session;
  const asked = history.watchAsked;
  const question = asked.length === 0 ? null : answeredQuestion(questions, Object.keys(history.askedAt));
  const read = question === null ? null : readPlainAnswer(question.answer);
  if (question === null || read === null) return;
  const accepted = read === "yes";
  const said = shorten(ports.redactor.redact(question.answer), 200);
  accept(session, {
    event: {
      type: "watch_answered",
      at: ports.now().toISOString(),
      question: question.id,
      accepted,
      changes: asked.map(({ name, digest }) => ({ name, digest })),
      tickets: accepted ? [] : watchedTickets(asked, said),
    },
    state: null,
  });
  const what = accepted ? "exactly these changes may stay" : "each change is now a ticket";
  session.findings.push(
    infoFinding("TP_WATCH_ANSWERED", `${question.id} about tests and checks is answered: ${what}`, {
      file: place.decisions,
    }),
  );
}

/** The newest one of the runner about what is watched; null while it is open. */
function answeredQuestion(questions: readonly Question[], asked: readonly string[]): Question | null {
  const own = questions.filter(
    ({ id, title }) => title === closedForms.watched.title && (asked.length === 0 || asked.includes(id)),
  );
  const newest = own.sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))).at(-1);
  return newest === undefined || newest.open ? null : newest;
}
