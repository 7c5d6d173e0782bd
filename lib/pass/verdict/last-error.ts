import type { Failure } from "../../rules/decision.ts";
import { isRow, withWantedForm } from "../../rules/failure.ts";
import type { PassRecord } from "../../rules/shapes/pass-record.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { troubleOf } from "../review/model-findings.ts";

const beforeTickets = "\n\nTickets:\n";

export function renderLastError(event: VerdictEvent, failure: Failure, { model, note }: PassRecord): string {
  const trouble = troubleOf(event.end, { error: model?.error ?? null, note });
  const reasons = event.reasons.map((reason) => `- ${reason.code}: ${withWantedForm(reason, event.from)}`);
  const tickets = event.tickets.map((ticket) => `- ${ticket.id}: ${ticket.text.replace(/\n/g, "\n  ")}`);
  return [
    `${firstLine(event)}, ${isRow(failure) ? `${failure.count} in a row` : `the same ${failure.count} times`}`,
    "",
    "Reasons:",
    ...reasons,
    ...(trouble === null ? [] : ["", `Model: ${trouble}`]),
    ...(tickets.length === 0 ? [] : [beforeTickets.slice(1, -1), ...tickets]),
    "",
  ].join("\n");
}

/**
 * last_error.txt without what the prompt has above: the tickets, and the reasons of a pass that was rejected or made no
 * progress. Whole if it is about an earlier pass or a refused start.
 */
export function untoldError(text: string, last: VerdictEvent | null): string {
  if (last === null || !text.startsWith(firstLine(last))) return text;
  const tickets = text.indexOf(beforeTickets);
  const untold = tickets === -1 ? text : text.slice(0, tickets);
  if (last.verdict === "redirected") return untold;
  return untold
    .split("\n")
    .filter((line, index) => index === 0 || line.startsWith("Model: "))
    .join("\n");
}

function firstLine({ at, pass, verdict, from }: VerdictEvent): string {
  return `${at} pass ${pass} ${verdict} in ${from}`;
}
