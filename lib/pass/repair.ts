import { join } from "node:path";
import { renderDeferred } from "../evidence/deferred.ts";
import type { Decision, Ticket } from "../machine/facts.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import { mdFence, mdInline } from "../templates/markdown-escape.ts";
import type { CommitFile } from "./commit-event.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { passFolder } from "./task-place.ts";

/** Whether the verdict sends the task to repair, or would have if it did not stop the task. */
export function leadsToRepair({ verdict, from, to }: Decision): boolean {
  return verdict === "redirected" || (verdict === "accepted" && from !== "repair" && to === "repair");
}

/** Writes the tickets of the verdict, if it has any, as a file of the pass. A rejection has some for protected files. */
export function writeTickets({ session, pass }: Pick<PreparedPass, "session" | "pass">, { tickets }: Decision): void {
  if (tickets.length === 0) return;
  const folder = passFolder(session.place, pass);
  makeFolder(folder);
  putFile(join(folder, "tickets.md"), session.ports.redactor.redact(renderTickets(tickets)));
}

export function renderTickets(tickets: readonly Ticket[]): string {
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
