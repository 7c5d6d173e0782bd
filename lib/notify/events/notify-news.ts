import type { TaskEvent } from "../../rules/events.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import type { PassReport } from "../../task/request.ts";
import type { WebhookBody, WebhookEvent } from "../send-webhook.ts";

/** The body of a webhook about a task; null for what is not known or does not apply. */
export interface News
  extends Pick<WebhookBody, "event" | "at" | "from" | "to" | "verdict" | "reason" | "pass" | "model" | "questions"> {
  readonly costUsd: number | null;
}

type Said = Pick<PassReport, "reason" | "exit_name" | "from" | "to" | "pass" | "model" | "cost_usd" | "verdict">;

/**
 * The news of this call, at most one message. Each event is added to a journal once, by one call, so nothing is
 * reported twice: a call that only finds the task blocked adds no event. A person's own edit or `resume` is not news. A
 * move of the task comes first; else a pause; else a new question.
 */
export function findNews(events: readonly TaskEvent[], report: Said): News | null {
  const happened =
    events.map((event) => newsOfMove(event, report)).findLast((found) => found !== null) ??
    events.map((event) => newsOfPause(event, report)).findLast((found) => found !== null) ??
    events.map((event) => newsOfQuestion(event, report)).findLast((found) => found !== null);
  if (!happened) return null;
  return { ...happened, questions: events.map(openAfter).findLast((ids) => ids !== null) ?? [] };
}

type Happened = Omit<News, "questions">;

/** The questions that were open after the event, if it says so. */
function openAfter(event: TaskEvent): readonly string[] | null {
  return event.type === "verdict" || event.type === "escalated" ? event.open_questions : null;
}

/** The runner's call moved the task if no model works: by a verdict, or by the runner's own stop. */
function newsOfMove(event: TaskEvent, report: Said): Happened | null {
  if (event.type === "escalated") {
    const { at, from, to } = event;
    return { ...nothing, event: moved(to) ?? "task.blocked", at, from, to, reason: report.reason };
  }
  if (event.type !== "verdict") return null;
  // In intake the table has no way out: the phase stays, and no pass runs until a person clears Blockers.
  const held = event.escalation === null ? null : "task.blocked";
  const what = moved(event.to) ?? held;
  return what === null ? null : { ...ofVerdict(event, report), event: what };
}

function newsOfPause(event: TaskEvent, report: Said): Happened | null {
  if (event.type === "verdict") {
    const aborted = event.end.kind === "interrupted" && event.end.cause === "abort";
    return aborted ? { ...ofVerdict(event, report), event: "task.paused" } : null;
  }
  if (event.type !== "controlled" || (event.command !== "PAUSE" && event.command !== "ABORT")) return null;
  const { at, command, detail } = event;
  return {
    event: "task.paused",
    at,
    from: report.from,
    to: report.to,
    verdict: report.verdict,
    // A pass that led to its end has a reason of its own, which is not why the task pauses.
    reason: report.exit_name === "paused" ? report.reason : `${command}: ${detail}`,
    pass: report.pass,
    model: report.model,
    costUsd: report.cost_usd,
  };
}

/** No pass begins while a question is open, so one that is open after a pass appeared in it. */
function newsOfQuestion(event: TaskEvent, report: Said): Happened | null {
  if (event.type !== "verdict" || event.open_questions.length === 0) return null;
  return { ...ofVerdict(event, report), event: "task.needs_user_decision" };
}

const nothing = { verdict: null, pass: null, model: null, costUsd: null };

function ofVerdict(event: VerdictEvent, report: Said): Omit<Happened, "event"> {
  return {
    at: event.at,
    from: event.from,
    to: event.to,
    verdict: event.verdict,
    reason: report.pass === event.pass ? report.reason : event.reason,
    pass: event.pass,
    model: event.model,
    costUsd: event.cost_usd,
  };
}

function moved(to: string): WebhookEvent | null {
  switch (to) {
    case "done":
      return "task.done";
    case "blocked":
      return "task.blocked";
    case "needs_user_decision":
      return "task.needs_user_decision";
    default:
      return null;
  }
}
