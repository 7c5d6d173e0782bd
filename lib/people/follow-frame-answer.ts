import { readPlainAnswer } from "../machine/plain-answer.ts";
import { infoFinding } from "../report/finding.ts";
import { accept, type TaskSession } from "../task/session.ts";
import type { Question } from "../task-folder/decisions.ts";
import { shorten } from "../text/shorten.ts";

/**
 * A person answered whether the frame is right. A plain yes lets the work begin with exactly these words; a plain no
 * says what to change, and the same frame is rejected.
 */
export function followFrameAnswer(session: TaskSession, questions: readonly Question[]): void {
  const { place, history, ports } = session;
  const asked = history.frameAsked;
  const question = questions.find(({ id }) => id === asked?.question);
  if (asked === null || question === undefined || question.open) return;
  const read = readPlainAnswer(question.answer);
  if (read === null) return;
  const approved = read === "yes";
  const said = shorten(ports.redactor.redact(question.answer).replace(/\s+/g, " "), 500);
  accept(session, {
    event: { type: "approved", at: ports.now().toISOString(), ...asked, approved, said },
    state: null,
  });
  const what = approved ? "a person approved the frame" : "a person asked for changes to the frame";
  session.findings.push(
    infoFinding("TP_FRAME_ANSWERED", `${question.id} is answered: ${what}`, { file: place.decisions }),
  );
}
