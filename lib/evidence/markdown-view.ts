import { mdCell, mdLink } from "../templates/markdown-escape.ts";
import { showHidden, showShort } from "../templates/visible.ts";
import type { EvidenceModel } from "./evidence-model.ts";
import { viewModel } from "./view.ts";
import { plural, words } from "./words.ts";

/** How much a Markdown document shows. The page shows all of it. */
export interface Detail {
  /** Characters of one text in a cell. */
  readonly cell: number;
  /** Rows of one table. */
  readonly rows: number;
  /** Lines of a check's last output; 0 leaves the output out. */
  readonly lines: number;
}

/** The kinds of alert that git hosts render, by how the task stands. */
const alerts = { good: "TIP", working: "NOTE", asking: "IMPORTANT", stopped: "WARNING" } as const;

/** A longer address makes a line that some readers refuse. */
const longestHref = 1000;
const longestLine = 300;

/** The view with its texts cut to what Markdown can carry, and its links already written. */
export function markdownView(model: EvidenceModel, detail: Detail) {
  const view = viewModel(model, "");
  const cell = (text: string) => showShort(text, detail.cell);
  const name = (text: string) => showShort(text, Math.min(detail.cell, 120));
  const link = (text: string, href: string) => {
    const shown = name(text);
    return href === "" || href.length > longestHref ? mdCell(shown) : mdLink(shown, href);
  };
  const check = <T extends { name: string; log: string; excerpt: string; exit: string }>(each: T) => ({
    ...each,
    name: name(each.name),
    exit: name(each.exit),
    log: each.log === "" ? "none" : link("log", each.log),
    excerpt: lastLines(each.excerpt, detail.lines),
  });
  return {
    ...view,
    task: { id: name(view.task.id), title: name(view.task.title) },
    standing: { ...view.standing, headline: name(view.standing.headline), detail: cell(view.standing.detail) },
    alert: alerts[model.standing.tone],
    phase: model.phase === null ? "not known" : words(model.phase),
    fields: view.fields.map((field) => ({ label: field.label, value: cell(field.value) })),
    gates:
      view.gates === null
        ? null
        : {
            ...view.gates,
            results: view.gates.results
              .slice(0, detail.rows)
              .map((gate) => ({ ...gate, gate: name(gate.gate), detail: cell(gate.detail) })),
          },
    checks:
      view.checks === null
        ? null
        : {
            ...view.checks,
            moved: cell(view.checks.moved),
            results: view.checks.results.slice(0, detail.rows).map(check),
          },
    baseline:
      view.baseline === null
        ? null
        : { ...view.baseline, results: view.baseline.results.slice(0, detail.rows).map(check) },
    tickets: view.tickets
      .slice(0, detail.rows)
      .map((ticket) => ({ name: name(ticket.name), source: ticket.source, line: cell(ticket.text) })),
    features: view.features
      .slice(0, detail.rows)
      .map((row) => ({ feature: name(row.feature), label: mdCell(name(row.label)), proof: link(row.proof, row.href) })),
    passes: view.passes.slice(-detail.rows).map((row) => ({
      ...row,
      model: name(row.model),
      move: mdCell(row.move),
      reason: cell([row.reason, ...row.notes].join("; ")),
      link: row.href === "" ? String(row.pass) : mdLink(String(row.pass), row.href),
    })),
    morePasses: Math.max(0, view.passes.length - detail.rows),
    edits: view.edits.slice(-detail.rows).map((edit) => ({ ...edit, detail: cell(edit.detail) })),
    artifacts: view.artifacts
      .slice(0, detail.rows)
      .map((row) => ({ link: link(row.path, row.href), size: row.size, sha256: row.sha256 })),
    moreArtifacts: Math.max(0, model.artifacts.length - detail.rows),
    paths: view.paths.slice(0, detail.rows).map(cell),
    morePaths: Math.max(0, model.changedPaths.length - detail.rows),
    journal: { events: plural(model.journal.events, "event"), head: view.head },
  };
}

function lastLines(text: string, count: number): string {
  if (count === 0) return "";
  const lines = showHidden(text).trimEnd().split("\n").slice(-count);
  return lines.map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line)).join("\n");
}
