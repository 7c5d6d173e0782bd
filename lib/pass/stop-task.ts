import type { Decision, Escalation, EscalationCause } from "../machine/facts.ts";
import type { FieldKey } from "../machine/state-view.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { appendQuestion, goOnTitle, watchTitle } from "../task-folder/decisions.ts";
import { editState, type StateDocument } from "../task-folder/state.ts";
import { phaseDiagram } from "../templates/phase-diagram.ts";
import type { CommitFile } from "./commit-event.ts";
import { readTaskFile } from "./look.ts";
import { openIds, questionsAfter } from "./open-questions.ts";
import { accept, type Stop, stop, type TaskSession } from "./session.ts";
import { statusAfterStop } from "./stop-status.ts";

/** The runner stops the task outside a pass, as when the pass limit is reached. */
export function stopTask(session: TaskSession, document: StateDocument, escalation: Escalation): Stop {
  const from = document.view.phase;
  const at = session.ports.now().toISOString();
  const asked = questionFile(session, escalation, from, session.history.lastPass, at);
  const questions = questionsAfter(session.place, asked);
  const { history, ports } = session;
  const status = statusAfterStop(escalation, {
    ...{ history, blockers: escalation.blockers, questions, redactor: ports.redactor },
  });
  const { bytes } = editState(
    document,
    { ...escalationFields(escalation), status, last_updated: at },
    { diagram: phaseDiagram(escalation.to) },
  );
  const state = bytes.toString("utf8");
  accept(session, {
    event: {
      type: "escalated",
      at,
      from,
      state,
      ...escalation,
      open_questions: openIds(questions),
    },
    state,
    files: [
      ...asked,
      { path: "log.txt", text: `${at} ${from} → ${escalation.to} stopped: ${escalation.blockers}\n`, append: true },
    ],
  });
  const stopped = stop(exitNames[escalation.cause] ?? "blocked", escalation.blockers, from, escalation.to);
  return { ...stopped, escalated: escalation.cause };
}

/** The call that stops a task tells the cause; later ones say that it is blocked. */
const exitNames: Partial<Record<EscalationCause, ExitName>> = {
  passes: "iterations",
  money: "budget",
  tokens: "budget",
  time: "budget",
};

/** What an escalation writes to STATE.md. */
export function escalationFields(escalation: Escalation): Partial<Record<FieldKey, string>> {
  return { phase: escalation.to, blockers: escalation.blockers };
}

/** DECISIONS.md with what the runner asks because of a verdict; empty where it asks nothing. */
export function questionOf(session: TaskSession, decision: Decision, pass: number, at: string): CommitFile[] {
  return decision.escalation === null ? [] : questionFile(session, decision.escalation, decision.from, pass, at);
}

/** The question that goes with an escalation, as DECISIONS.md afterwards; empty where there is none. */
function questionFile(
  session: TaskSession,
  escalation: Escalation,
  from: string,
  pass: number,
  at: string,
): CommitFile[] {
  if (escalation.question === null) return [];
  const bytes = readTaskFile(session.place.decisions);
  const text = appendQuestion(bytes === null ? null : bytes.toString("utf8"), {
    ...(escalation.cause === "watched"
      ? { title: watchTitle, options: "`accept`: exactly these changes stand; anything else: each becomes a ticket" }
      : { title: goOnTitle, options: "go on as it is, change the brief, or give the task up" }),
    askedIn: from,
    pass,
    at,
    question: escalation.question,
    safeDefault: "",
  });
  return [{ path: "DECISIONS.md", text, append: false }];
}
