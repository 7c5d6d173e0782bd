import { mdCell, mdInline } from "../../documents/templates/markdown-escape.ts";
import { mdCodeCell, mdFence, mdLink } from "../../documents/templates/markdown-nodes.ts";
import { mdProse } from "../../documents/templates/render-template.ts";
import { showHidden, showShort } from "../../documents/templates/visible.ts";
import type { EvidenceModel } from "../model/build-model.ts";
import type { PagePatch } from "../page/page-files.ts";
import { viewModel } from "../view/view.ts";

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
  /** Lines of the whole diff; a longer one is only linked. */
  readonly diff: number;
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

/** Links at the top; the page has all. */
const topPatches = 3;
/** Logs of one run of the proof. */
const mostCellLogs = 5;
/** Lines of what comes before the fold. */
const mostAttention = 20;
const mostCaught = 10;
/** A longer address makes a line that some readers refuse. */
const longestHref = 1000;

/** The view with its texts cut to what Markdown can carry, and its links already written. */
export function markdownView(
  model: EvidenceModel,
  detail: Detail,
  patches: readonly PagePatch[],
  view = viewModel(model, "", patches),
) {
  const cell = (text: string) => showShort(text, detail.cell);
  const name = (text: string) => showShort(text, Math.min(detail.cell, 120));
  const link = (text: string, href: string) => {
    const shown = name(text);
    return href === "" || href.length > longestHref ? mdCell(shown) : mdLink(shown, href);
  };
  const bold = (good: boolean, text: string) => (good ? text : `**${text}**`);
  const cut = <Row>(rows: readonly Row[], most = detail.rows) => rows.slice(0, Math.min(most, detail.rows));
  const more = (count: number, most = detail.rows) => Math.max(0, count - Math.min(most, detail.rows));
  const side = (each: (typeof view.compared)[number]["now"]) =>
    each.status === "" ? "–" : bold(each.passed || !each.ran, link(each.status, each.log));
  const { change, checks, gates, matrix } = view;
  const failed = (checks?.results ?? []).filter(({ passed, excerpt }) => !passed && excerpt !== "");
  const diff = fenceDiff(patches, detail.diff);
  const linkAll = (shown: typeof view.patches) => shown.map((patch) => link(patch.name, patch.href));
  return {
    task: { id: name(view.task.id), title: name(view.task.title) },
    alert: alerts[model.standing.tone],
    headline: cell(view.standing.headline),
    detail: showShort(view.standing.detail, detail.text),
    hero: mdInline(view.hero.join(" · ")),
    asks: model.asks,
    hasJournal: model.journal.events > 0,
    lastAt: view.lastAt,
    attested: model.attested,
    change: {
      files: cut(change.files).map((file) => ({ ...file, name: cell(file.name), told: cell(file.told) })),
      moreFiles: more(change.files.length) + change.more,
      paths: cut(change.paths).map((path) => ({ name: cell(path.name), told: cell(path.told) })),
      morePaths: more(change.paths.length),
      noPatch: change.noPatch,
      diff,
      // A packed patch has no file to link to, and its diff is in full below.
      links: linkAll(view.patches.filter((patch) => patch.href !== "").slice(-topPatches)).join(" · "),
      allLinks: linkAll(view.patches.slice(-detail.rows)).join(", "),
    },
    attention: cut(view.attention, mostAttention).map(({ what, detail: told, href, bad }) => ({
      line: `${bold(!bad, href === "" ? mdInline(showShort(what, Math.max(detail.cell, 120))) : link(what, href))}: ${mdProse(showShort(told, detail.text))}`,
    })),
    moreAttention: more(view.attention.length, mostAttention),
    caught: view.caught
      .slice(-Math.min(mostCaught, detail.rows))
      .map(({ pass, href, story }) => ({ link: link(`Pass ${pass}`, href), story: cell(story) })),
    runs: matrix?.runs ?? [],
    unseparated: showShort(matrix?.unseparated ?? "", detail.text),
    runOf: cut(matrix?.checks ?? []).map(({ name: of, marks }) => ({
      name: name(of),
      marks: marks.map((mark) => (mark === null ? "–" : bold(mark.good, link(mark.status, mark.href)))),
    })),
    moreRuns: more(matrix?.checks.length ?? 0),
    matrix:
      matrix === null
        ? []
        : matrix.rows.map((row) => ({
            cell: row.cell,
            wanted: row.wanted,
            result: bold(row.good !== false, mdProse(cell(row.result))),
            logs: (matrix.runs.includes(row.cell.split(":")[0] ?? "") ? [] : row.logs)
              .slice(0, mostCellLogs)
              .map((log) => link(log.name, log.href))
              .join(", "),
          })),
    checks:
      checks === null
        ? null
        : {
            pass: checks.pass,
            at: checks.at,
            commands: cut(checks.results)
              .filter(({ command }) => command !== "")
              .map(({ name: of, command }) => ({ name: name(of), command: showShort(command, detail.text) })),
          },
    failed: cut(failed).map((each) => ({ name: name(each.name), excerpt: lastLines(each.excerpt, detail.lines) })),
    compared: cut(view.compared).map((each) => ({
      name: name(each.name),
      kind: each.kind,
      before: side(each.before),
      now: side(each.now),
      compared: each.compared === "" ? "–" : bold(each.good, mdCell(cell(each.compared))),
    })),
    moreCompared: more(view.compared.length),
    gatesHold: view.gatesHold,
    gatesMove: view.gatesMove,
    gates: cut(gates?.results ?? []).map((gate) => ({ ...gate, gate: name(gate.gate), detail: cell(gate.detail) })),
    watchedLine: view.watchedLine,
    watched: cut(view.watched).map((row) => ({
      ...row,
      name: name(row.name),
      detail: [cell(row.detail), row.unpatched].filter((text) => text !== "").join("; "),
    })),
    moreWatched: more(model.watched.length),
    manual: cut(view.manual).map((row) => ({ ...row, name: name(row.name), said: cell(row.said) })),
    features: cut(view.features).map((row) => ({
      feature: name(row.feature),
      label: mdCell(name(row.label)),
      proof: link(row.proof, row.href),
    })),
    moreFeatures: more(view.features.length),
    reviews: cut(view.reviews).map((row) => ({
      link: link(row.role, row.href),
      about: `${row.where}: ${bold(row.current, row.about)}`,
      result: bold(row.good, mdCell(cell(row.result))),
      model: name(row.model),
    })),
    ...listOtherFindings(view.reviews, detail, name),
    fields: view.fields.map((field) => ({ label: field.label, value: cell(field.value) })),
    passesLine: view.passesLine,
    passes: view.passes.slice(-detail.rows).map((row) => ({
      link: link(String(row.pass), row.href),
      story: cell([row.story, ...(row.checks === "" ? [] : [row.checks])].join("; ")),
      good: row.good,
      verdict: row.verdict,
      took: cell([row.model, row.degrade, row.took].filter((text) => text !== "").join(", ")),
    })),
    morePasses: more(view.passes.length),
    edits: view.edits.slice(-detail.rows).map((edit) => ({ ...edit, detail: cell(edit.detail) })),
    moreEdits: more(model.edits.length),
    artifactsLine: view.artifactsLine,
    artifacts: cut(view.artifacts).map((row) => ({
      link: link(row.path, row.href),
      size: row.size,
      sha256: row.sha256,
    })),
    moreArtifacts: more(model.artifacts.length),
    code: codeLine(view.code, name, link),
    prints: {
      checked: name(checks?.fingerprint ?? ""),
      before: name(view.before?.fingerprint ?? ""),
      head: view.journal.head,
      events: view.journal.events,
    },
  };
}

type View = ReturnType<typeof viewModel>;

const longestLine = 300;

/**
 * The commit, linked if the host is known, with its branch and what keeps a reader from seeing exactly this code.
 */
function codeLine(
  code: View["code"],
  name: (text: string) => string,
  link: (text: string, href: string) => string,
): string {
  if (code === null) return "";
  const { commit, href, branch, labels } = code;
  const where = branch === "" ? "" : ` on ${mdCodeCell(name(branch))}`;
  return [`${link(commit, href)}${where}`, ...labels].join(", ");
}

/** The findings of reviewers that nothing waits for, and those of an earlier state. */
function listOtherFindings(
  reviews: View["reviews"],
  { rows, cell }: { readonly rows: number; readonly cell: number },
  name: (text: string) => string,
) {
  const others = reviews.flatMap(({ role, current, blocking: texts, others: findings }) => [
    ...(current ? [] : texts.map((text) => ({ role, severity: "blocking, of an earlier state", text }))),
    ...findings.map(({ severity, text }) => ({ role, severity: String(severity), text })),
  ]);
  return {
    findings: others
      .slice(0, rows)
      .map((each) => ({ ...each, role: name(each.role), text: showShort(each.text, cell) })),
    moreFindings: Math.max(0, others.length - rows),
  };
}

/** The end of a program's output, its lines cut. */
function lastLines(text: string, count: number): string {
  if (count === 0) return "";
  return showHidden(text).trimEnd().split("\n").slice(-count).map(cutLine).join("\n");
}

/**
 * The whole change in a fence that no line of it can end; empty if it has more than `most` lines, or cannot be read. A
 * carriage return at the end of a changed line is spelled out, since it is invisible.
 */
function fenceDiff(patches: readonly PagePatch[], most: number): string {
  const texts = patches.flatMap(({ read }) => ("problem" in read ? [] : [read.text.trimEnd()]));
  const lines = texts.join("\n").split("\n");
  if (texts.length === 0 || texts.length < patches.length || lines.length > most) return "";
  const shown = lines.map((line) => cutLine(/^[+-]/.test(line) ? line.replace(/\r$/, "\\x0d") : line));
  return mdFence(shown.join("\n"), "diff");
}

function cutLine(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
