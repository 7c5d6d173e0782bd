import { infoFinding } from "../report/finding.ts";
import { isAnswered } from "../task/open-questions.ts";
import type { TaskSession } from "../task/session.ts";
import type { Question } from "../task-folder/decisions.ts";
import type { StateDocument } from "../task-folder/state.ts";
import { goOnFields, writeState } from "../verdict/write-state.ts";

/** All questions answered: the task continues in the phase that asked. Else STATE.md as it is. */
export function followAnswer(
  session: TaskSession,
  document: StateDocument,
  questions: readonly Question[],
): StateDocument {
  const { place, history, ports } = session;
  const to = history.askedFrom;
  if (to === null || !isAnswered({ history, phase: document.view.phase, questions })) return document;
  const at = ports.now().toISOString();
  const ids = questions.map((question) => question.id);
  const after = writeState(session, document, {
    at,
    fields: { phase: to, ...goOnFields(history, document) },
    event: (state) => ({ type: "answered", at, from: "needs_user_decision", to, questions: ids, state }),
  });
  session.findings.push(
    infoFinding("TP_ANSWERED", `every question is answered; the task continues in ${to}`, { file: place.decisions }),
  );
  return after;
}
