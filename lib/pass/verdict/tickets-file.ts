import { join } from "node:path";
import { fence, heading, item, list, words, writeMarkdown } from "../../documents/templates/markdown-nodes.ts";
import type { Decision, Ticket } from "../../rules/decision.ts";
import { type FolderSyncs, makeFolder } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { passFolder } from "../../task/records/task-place.ts";
import type { HeldTask } from "../../task/session.ts";

/** Whether the verdict sends the task to repair, or would if it did not stop the task. */
export function leadsToRepair({ verdict, from, to }: Decision): boolean {
  return verdict === "redirected" || (verdict === "accepted" && from !== "repair" && to === "repair");
}

/** Writes the verdict's tickets, if any, as a file of the pass. A rejection has some for protected files. */
export function writeTickets(
  { session, pass }: { readonly session: HeldTask; readonly pass: number },
  { tickets }: Decision,
  syncs: FolderSyncs,
): void {
  if (tickets.length === 0) return;
  const folder = passFolder(session.place, pass);
  makeFolder(folder, 0o777, syncs);
  putFile(join(folder, "tickets.md"), session.ports.redactor.redact(renderTickets(tickets)), { syncs });
}

export function renderTickets(tickets: readonly Ticket[]): string {
  const blocks = tickets.flatMap(({ id, source, name, text }) => [
    heading(2, words`${id}`),
    list([item(words`Source: ${source}`), item(words`Name: ${name}`)]),
    fence(text),
  ]);
  return writeMarkdown(heading(1, words`Tickets`), ...blocks);
}
