import { standManual } from "../machine/manual.ts";
import { readPlainAnswer } from "../machine/plain-answer.ts";
import { lookTickets } from "../machine/tickets.ts";
import { infoFinding } from "../report/finding.ts";
import { accept, type TaskSession } from "../task/session.ts";
import type { Question } from "../task-folder/decisions.ts";
import { shorten } from "../text/shorten.ts";

/**
 * A person answered what the runner asked to look at. A plain yes says that all of it is as it should be; a plain no
 * makes a ticket of each scenario. It holds for exactly the code that the question was about.
 */
export function followLookAnswer(session: TaskSession, questions: readonly Question[]): void {
  const { place, history, ports } = session;
  const asked = history.lookAsked;
  const question = questions.find(({ id }) => id === asked?.question);
  if (asked === null || question === undefined || question.open) return;
  const read = readPlainAnswer(question.answer);
  if (read === null) return;
  const { fingerprint, scenarios } = asked;
  const holds = read === "yes";
  const said = shorten(ports.redactor.redact(question.answer).replace(/\s+/g, " "), 500);
  const answers = scenarios.map((scenario) => ({ ...scenario, fingerprint, holds, said, question: question.id }));
  accept(session, {
    event: {
      type: "looked",
      at: ports.now().toISOString(),
      question: question.id,
      fingerprint,
      holds,
      said,
      scenarios,
      tickets: lookTickets(standManual(scenarios, answers, fingerprint)),
    },
    state: null,
  });
  const what = holds ? "a person looked and said yes" : "what a person said is now a ticket";
  session.findings.push(infoFinding("TP_LOOKED", `${question.id} is answered: ${what}`, { file: place.decisions }));
}
