import { mdCell, mdLink } from "../templates/markdown-escape.ts";
import { renderTemplate } from "../templates/render.ts";
import { showShort } from "../templates/visible.ts";
import type { EvidenceModel } from "./evidence-model.ts";
import { viewModel } from "./view.ts";
import { plural, words } from "./words.ts";

/** The kinds of alert that git hosts render, by how the task stands. */
const alerts = { good: "TIP", working: "NOTE", asking: "IMPORTANT", stopped: "WARNING" } as const;

/**
 * The runner's parts of EVIDENCE.md by name, in the order in which they stand: `status`, `checks`, `record`. Each starts
 * and ends without a newline; no data in them can end a table, a cell or a part.
 */
export function renderEvidenceParts(model: EvidenceModel): Record<"status" | "checks" | "record", string> {
  const view = markdownView(model);
  return {
    status: renderTemplate("evidence/status.md", view).trim(),
    checks: renderTemplate("evidence/checks.md", view).trim(),
    record: renderTemplate("evidence/record.md", view).trim(),
  };
}

/** The view with its links already written as Markdown. */
export function markdownView(model: EvidenceModel) {
  const view = viewModel(model, "");
  const log = (href: string) => (href === "" ? "none" : mdLink("log", href));
  const section = <T extends { results: readonly { log: string }[] }>(each: T | null) =>
    each === null ? null : { ...each, results: each.results.map((check) => ({ ...check, log: log(check.log) })) };
  return {
    ...view,
    alert: alerts[model.standing.tone],
    phase: model.phase === null ? "not known" : words(model.phase),
    checks: section(view.checks),
    baseline: section(view.baseline),
    tickets: view.tickets.map((ticket) => ({ ...ticket, line: showShort(ticket.text, 400) })),
    features: view.features.map((row) => ({ ...row, label: mdCell(row.label), proof: linkCell(row.proof, row.href) })),
    passes: view.passes.map((row) => ({
      ...row,
      move: mdCell(row.move),
      reason: [row.reason, ...row.notes].map((note) => showShort(note, 400)).join("; "),
      link: row.href === "" ? String(row.pass) : mdLink(String(row.pass), row.href),
    })),
    journal: { events: plural(model.journal.events, "event"), head: view.head },
  };
}

function linkCell(text: string, href: string): string {
  return href === "" ? mdCell(text) : mdLink(text, href);
}
