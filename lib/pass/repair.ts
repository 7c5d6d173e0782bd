import { renderDeferred } from "../evidence/deferred.ts";
import type { Decision, Ticket } from "../machine/facts.ts";
import { mdFence, mdInline } from "../templates/markdown-escape.ts";
import type { CommitFile } from "./commit-event.ts";

/** REPAIR: the tickets of the verdict, as a file of the pass. */
export function writeTickets(tickets: readonly Ticket[]): string {
  const items = tickets.map(
    (ticket) =>
      `## ${mdInline(ticket.id)}\n\n- Source: ${ticket.source}\n- Name: ${mdInline(ticket.name)}\n\n${mdFence(ticket.text)}\n`,
  );
  return `# Tickets\n\n${items.join("\n")}`;
}

/** What is left for later when the repairs ran out. */
export function deferredFile(decision: Decision, pass: number, at: string): CommitFile[] {
  if (decision.escalation?.cause !== "repairs") return [];
  return [{ path: "DEFERRED.md", text: renderDeferred({ pass, at, tickets: decision.tickets }), append: false }];
}
