import { type ClosedForm, closedForms, optionsOf } from "../../documents/closed-questions.ts";
import { appendQuestion, goOnTitle, type Question, readDecisions } from "../../documents/decisions.ts";
import { readIfGood, readOptionalFile, taskFiles } from "../../documents/read-task-file.ts";
import type { StateDocument } from "../../documents/state.ts";
import { renderDeferred } from "../../pages/markdown/deferred.ts";
import type { Decision, Escalation, EscalationCause, Ticket } from "../../rules/decision.ts";
import { exitOfVerdict } from "../../rules/exits.ts";
import type { CommitFile } from "../../task/commit-event.ts";
import { openIds } from "../../task/open-questions.ts";
import { type Stop, stop, type TaskSession } from "../../task/session.ts";
import { statusAfterStop, writeState } from "./write-state.ts";

/** Stops the task outside a pass, as at the pass limit. */
export function stopTask(
  session: TaskSession,
  document: StateDocument,
  escalation: Escalation,
  otherwise: Otherwise = { safeDefault: "", deadline: "" },
): Stop {
  const from = document.view.phase;
  const at = session.ports.now().toISOString();
  const { files, questions } = askAfter(session, { escalation, from }, session.history.lastPass, at, otherwise);
  const { history, ports } = session;
  const status = statusAfterStop(escalation, {
    ...{ history, blockers: escalation.blockers, questions, redactor: ports.redactor },
  });
  const open = openIds(questions);
  writeState(session, document, {
    at,
    fields: { ...escalationFields(escalation), status },
    event: (state) => ({ type: "escalated", at, from, state, ...escalation, open_questions: open }),
    files: [
      ...files,
      ...deferredFile(escalation, history.lastPass, at, history.tickets),
      { path: "log.txt", text: `${at} ${from} → ${escalation.to} stopped: ${escalation.blockers}\n`, append: true },
    ],
  });
  const stopped = stop(exitOfVerdict("rejected", escalation.to, escalation), escalation.blockers, from, escalation.to);
  return { ...stopped, escalated: escalation.cause };
}

/** The keys of the brief that a stop says are spent. */
const spentKeys: Partial<Record<EscalationCause, string>> = {
  repairs: "budget.repairs",
  passes: "budget.passes",
  money: "budget.money_usd",
  tokens: "budget.tokens",
  time: "budget.time",
};

/** DEFERRED.md with the work that is left; none if nothing is spent, or nothing is open. */
export function deferredFile(
  { cause }: Escalation,
  pass: number,
  at: string,
  tickets: readonly Ticket[],
): CommitFile[] {
  const key = spentKeys[cause];
  if (key === undefined || (tickets.length === 0 && cause !== "repairs")) return [];
  return [{ path: "DEFERRED.md", text: renderDeferred({ key, pass, at, tickets }), append: false }];
}

export function escalationFields({ to, blockers }: Escalation) {
  return { phase: to, blockers };
}

/** What happens without an answer by then (ISO 8601); empty: it waits for a person. */
export interface Otherwise {
  readonly safeDefault: string;
  readonly deadline: string;
}

export interface Asked {
  /** DECISIONS.md with the question; empty without one. */
  readonly files: readonly CommitFile[];
  /** All of DECISIONS.md afterwards; none if unreadable. */
  readonly questions: readonly Question[];
}

export function askAfter(
  session: TaskSession,
  { escalation, from }: Pick<Decision, "escalation" | "from">,
  pass: number,
  at: string,
  otherwise: Otherwise = { safeDefault: "", deadline: "" },
): Asked {
  const { place } = session;
  const question = escalation?.question ?? null;
  if (escalation === null || question === null)
    return { files: [], questions: readIfGood(taskFiles.decisions, place.taskDir).questions };
  const bytes = readOptionalFile(place.decisions);
  const asked = { ...formOf(escalation), askedIn: from, pass, at, question, ...otherwise };
  const text = appendQuestion(bytes?.toString("utf8") ?? null, asked);
  const read = readDecisions(Buffer.from(text), place.decisions);
  return {
    files: [{ path: "DECISIONS.md", text, append: false, over: bytes }],
    questions: read.kind === "decisions" ? read.questions : [],
  };
}

function formOf({ cause }: Escalation): { readonly title: string; readonly options: string } {
  const form = Object.entries<ClosedForm>(closedForms).find(([name]) => name === cause)?.[1];
  if (form !== undefined) return { title: form.title, options: optionsOf(form) };
  if (cause === "environment")
    return {
      title: "Is it part of the task that a check cannot run here?",
      options:
        "`yes`: the work begins, and the checks are part of it; `done`: it is mended, and the checks run once more",
    };
  return {
    title: goOnTitle,
    options:
      "any answer lets it continue, after a change of the brief or of the code if it needs one; `task-phase cancel` gives it up",
  };
}
