import { infoFinding } from "../report/finding.ts";
import { isAnswered } from "../task/open-questions.ts";
import { accept, type TaskSession } from "../task/session.ts";
import type { Question } from "../task-folder/decisions.ts";
import { editState, type StateDocument } from "../task-folder/state.ts";
import { phaseDiagram } from "../templates/phase-diagram.ts";
import { goingOn } from "../verdict/stop-status.ts";

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
  const own = history.stop !== null && document.view.fields.blockers === history.stop.blockers;
  const edited = goBack(document, to, at, own);
  const state = edited.bytes.toString("utf8");
  accept(session, {
    event: {
      type: "answered",
      at,
      from: "needs_user_decision",
      to,
      questions: questions.map((question) => question.id),
      state,
    },
    state,
  });
  session.findings.push(
    infoFinding("TP_ANSWERED", `every question is answered; the task continues in ${to}`, { file: place.decisions }),
  );
  return edited.document;
}

/** STATE.md back in the phase that asked; `own` Blockers of the runner go with the stop that they explain. */
export function goBack(document: StateDocument, to: StateDocument["view"]["phase"], at: string, own: boolean) {
  return editState(
    document,
    { phase: to, status: goingOn, last_updated: at, ...(own ? { blockers: "none" } : {}) },
    { diagram: phaseDiagram(to) },
  );
}
