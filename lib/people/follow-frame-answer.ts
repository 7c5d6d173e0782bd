import { infoFinding } from "../report/finding.ts";
import { accept, type TaskSession } from "../task/session.ts";
import type { Question } from "../task-folder/decisions.ts";
import { shorten } from "../text/shorten.ts";
import { saysWord } from "./says-word.ts";

/**
 * A person answered whether the frame is right. `approve` alone lets the work begin with exactly these words; any other
 * answer says what to change, and the same frame is rejected.
 */
export function followFrameAnswer(session: TaskSession, questions: readonly Question[]): void {
  const { place, history, ports } = session;
  const asked = history.frameAsked;
  const question = questions.find(({ id }) => id === asked?.question);
  if (asked === null || question === undefined || question.open) return;
  const approved = saysWord(question.answer, "approve");
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
