import { mdCell } from "../../templates/markdown-escape.ts";
import { mdLink } from "../../templates/markdown-nodes.ts";
import { phaseDiagram } from "../../templates/phase-diagram.ts";
import { showShort } from "../../templates/visible.ts";
import type { EvidenceModel } from "../model/evidence-model.ts";
import { viewModel } from "../view/view.ts";
import { formatSize, formatTokens, plural, words } from "../view/words.ts";
import { codeLine, countVerdicts, lastLines, listFindings } from "./markdown-lines.ts";

/** How much a Markdown document shows. The page shows all of it. */
export interface Detail {
  /** Characters of one text in a cell. */
  readonly cell: number;
  /** Characters of one text that is by itself, such as a blocking finding. */
  readonly text: number;
  /** Rows of one table. */
  readonly rows: number;
  /** Lines of a check's last output; 0 leaves the output out. */
  readonly lines: number;
}

/** The kinds of alert that git hosts render, by the task's standing. */
const alerts = {
  good: "TIP",
  amber: "WARNING",
  working: "NOTE",
  asking: "IMPORTANT",
  stopped: "WARNING",
  quiet: "NOTE",
} as const;

/** Links at the top; where the documents say more of them, they have all. */
const topPatches = 3;
/** Logs of one cell of the proof square. */
const mostCellLogs = 5;
/** A longer address makes a line that some readers refuse. */
const longestHref = 1000;

/** The view with its texts cut to what Markdown can carry, and its links already written. */
export function markdownView(model: EvidenceModel, detail: Detail, view = viewModel(model, "")) {
  const cell = (text: string) => showShort(text, detail.cell);
  const name = (text: string) => showShort(text, Math.min(detail.cell, 120));
  const link = (text: string, href: string) => {
    const shown = name(text);
    return href === "" || href.length > longestHref ? mdCell(shown) : mdLink(shown, href);
  };
  const bold = (good: boolean, text: string) => (good ? text : `**${text}**`);
  const cut = <Row>(rows: readonly Row[]) => rows.slice(0, detail.rows);
  const more = (count: number) => Math.max(0, count - detail.rows);
  const side = (each: (typeof view.compared)[number]["now"]) =>
    bold(each.passed || !each.ran, link(each.status, each.log));
  const patches = view.patches.map((patch) => link(patch.name, patch.href));
  const { checks, baseline, gates } = view;
  return {
    ...view,
    task: { id: name(view.task.id), title: name(view.task.title) },
    standing: { ...view.standing, headline: cell(view.standing.headline), detail: cell(view.standing.detail) },
    alert: alerts[model.standing.tone],
    phase: model.phase === null ? "not known" : words(model.phase),
    done: model.phase === "done",
    asks: model.asks,
    code: codeLine(view.code, name, link),
    spent: `${view.cost}; ${plural(model.passes.length, "pass", "passes")} in ${view.time}; ${view.tokensSpent}`,
    fields: view.fields.map((field) => ({ label: field.label, value: cell(field.value) })),
    gates:
      gates === null
        ? null
        : {
            ...gates,
            results: cut(gates.results).map((gate) => ({ ...gate, gate: name(gate.gate), detail: cell(gate.detail) })),
          },
    checks:
      checks === null
        ? null
        : {
            ...checks,
            moved: cell(checks.moved),
            results: cut(checks.results).map((each) => ({
              ...each,
              name: name(each.name),
              exit: name(each.exit),
              command: showShort(each.command, detail.text),
              log: each.log === "" ? "none" : link("log", each.log),
              excerpt: lastLines(each.excerpt, detail.lines),
            })),
          },
    square:
      view.square === null
        ? null
        : {
            pass: view.square.pass,
            calibration: cell(view.square.calibration),
            rows: view.square.rows.map((row) => ({
              ...row,
              result: bold(row.good, mdCell(cell(row.result))),
              logs: row.logs
                .slice(0, mostCellLogs)
                .map((log) => link(log.name, log.href))
                .join(", "),
            })),
          },
    moreChecks: more(model.checks?.results.length ?? 0),
    baseline: baseline === null ? null : { at: baseline.at, fingerprint: baseline.fingerprint },
    compared: cut(view.compared).map((each) => ({
      ...each,
      name: name(each.name),
      baseline: side(each.baseline),
      now: side(each.now),
    })),
    moreCompared: more(model.compared.length),
    watched: cut(view.watched).map((row) => ({
      ...row,
      name: name(row.name),
      detail: [cell(row.detail), row.unpatched].filter((text) => text !== "").join("; "),
    })),
    moreWatched: more(model.watched.length),
    watchAnswers: view.watchAnswers.slice(-detail.rows).map(({ at, line }) => ({ at, line: cell(line) })),
    features: cut(view.features).map((row) => ({
      feature: name(row.feature),
      label: mdCell(name(row.label)),
      proof: link(row.proof, row.href),
    })),
    moreFeatures: more(model.features.length),
    looks: cut(view.looks).map((row) => ({ ...row, name: name(row.name), look: cell(row.look), said: cell(row.said) })),
    moreLooks: more(model.looks.length),
    reviews: cut(view.reviews).map((row) => ({
      ...row,
      link: link(row.role, row.href),
      about: `${row.where}: ${row.current ? row.about : `**${row.about}**`}`,
      result: cell(row.result),
      model: name(row.model),
    })),
    ...listFindings(view.reviews, detail, name),
    tickets: cut(view.tickets).map((ticket) => ({
      name: name(ticket.name),
      source: ticket.source,
      line: cell(ticket.text),
    })),
    moreTickets: more(model.tickets.length),
    passesLine: countVerdicts(model),
    passes: view.passes.slice(-detail.rows).map((row) => ({
      ...row,
      model: name(row.degrade === "" ? row.model : `${row.model}, ${row.degrade}`),
      move: mdCell(row.move),
      reason: cell([row.reason, ...row.notes].join("; ")),
      spend: mdCell(row.reviewCost === "" ? row.cost : `${row.cost}; ${row.reviewCost}`),
      tokens: formatTokens(row.tokens),
      link: row.href === "" ? String(row.pass) : mdLink(String(row.pass), row.href),
    })),
    morePasses: more(view.passes.length),
    diagram: phaseDiagram(model.phase),
    briefEdits: view.briefEdits
      .slice(-detail.rows)
      .map((edit) => ({ ...edit, keys: cell(edit.keys), was: name(edit.was), now: name(edit.now) })),
    moreBriefEdits: more(model.briefEdits.length),
    edits: view.edits.slice(-detail.rows).map((edit) => ({ ...edit, detail: cell(edit.detail) })),
    moreEdits: more(model.edits.length),
    artifactsLine: `${plural(model.artifacts.length, "file")}, ${formatSize(model.artifacts.reduce((sum, row) => sum + row.size, 0))}`,
    artifacts: cut(view.artifacts).map((row) => ({
      link: link(row.path, row.href),
      size: row.size,
      sha256: row.sha256,
    })),
    moreArtifacts: more(model.artifacts.length),
    topPatches: patches.slice(-topPatches).join(" · "),
    patches: patches.slice(-detail.rows).join(", "),
    morePatches: more(patches.length),
    pathCount: plural(model.changedPaths.length, "path"),
    paths: cut(view.paths).map(cell),
    morePaths: more(model.changedPaths.length),
    hasJournal: model.journal.events > 0,
    journal: { events: plural(model.journal.events, "event"), head: view.head },
  };
}
