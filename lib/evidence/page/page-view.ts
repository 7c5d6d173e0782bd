import { fileUrl } from "../../hosts/links.ts";
import { splitProse } from "../../templates/prose.ts";
import { relativeHref } from "../../templates/relative-href.ts";
import { showShort } from "../../templates/visible.ts";
import type { EvidenceModel } from "../model/evidence-model.ts";
import { viewModel } from "../view/view.ts";
import { formatCost, formatTokens } from "../view/words.ts";
import { openDiffView } from "./diff-view.ts";
import { viewArtifacts, viewImages } from "./page-artifacts.ts";
import { cutLong, type Fitted, fitRows, pageBudget } from "./page-budget.ts";
import type { PageFiles } from "./page-files.ts";
import { viewLogs } from "./page-logs.ts";
import { drawPhases } from "./svg-phases.ts";
import { drawSpend } from "./svg-spend.ts";
import { drawTimeline } from "./svg-timeline.ts";

const ownFiles = ["README.md", "STATE.md", "EVIDENCE.md"];

/** Base64 is a third longer, and some markup is around it. */
const imageBytes = (size: number) => Math.ceil(size / 3) * 4 + 300;

/** Logs of one cell of the proof square. */
const mostCellLogs = 50;

/** Everything that the page's template reads: each part within its share of the page's bytes, what is cut counted. */
export function pageView(model: EvidenceModel, files: PageFiles) {
  const view = viewModel(model, "artifacts");
  const logs = viewLogs(files.logs, pageBudget.logs);
  const diff = viewDiff(model, files);
  const pictures = files.images.reduce((sum, { bytes }) => sum + (bytes === null ? 300 : imageBytes(bytes.length)), 0);
  const left = pageBudget.images + pageBudget.diff + pageBudget.logs - pictures - diff.bytes - logs.bytes;
  const { artifacts, images: _, ...shares } = pageBudget;
  const fit = <Row>(rows: readonly Row[], share: keyof typeof shares, markup: number, part = 1) =>
    fitRows(rows, { share: shares[share] * part, markup });
  const checkRows = model.checks?.results ?? [];
  const shownLog = (index: number) => logs.items.find(({ path }) => path === checkRows[index]?.log)?.id ?? "";
  const check = (row: (typeof results)[number], index: number) => {
    const anchor = shownLog(index);
    return { ...row, anchor, excerpt: anchor === "" ? row.excerpt : "" };
  };
  const results = view.checks?.results ?? [];
  const passes = fitRows(viewPasses(model, view), { share: pageBudget.passes, markup: 1000, newest: true });
  const anchors = new Set(passes.rows.map(({ anchor }) => anchor));
  // The row of a pass that is not in the table any more cannot be led to.
  const passHref = (pass: number) => (anchors.has(`pass-${pass}`) ? `#pass-${pass}` : "#passes");
  const timeline = drawTimeline(model.passes, model.phase);
  return {
    title: showShort(`${model.task.id}: ${model.task.title}`),
    task: { id: cutLong(model.task.id, 400), title: cutLong(model.task.title, 1000) },
    standing: { ...view.standing, headline: cutLong(view.standing.headline), detail: cutLong(view.standing.detail) },
    userFacing: view.userFacing,
    phases: drawPhases(model.phase, model.passes),
    fields: fit(view.fields, "fields", 60).rows.map(({ label, value }) => ({ label, parts: splitProse(value) })),
    facts: [
      { label: "Passes", value: String(model.passes.length) },
      { label: "Time in passes", value: view.time },
      { label: "Cost", value: view.cost },
      { label: "Tokens", value: view.tokens },
      { label: "Last recorded", value: view.lastAt },
    ],
    files: [...ownFiles, ...(model.phase === "done" ? ["SUMMARY.md"] : [])].map((name) => ({
      name,
      href: hrefOf(name),
    })),
    code: view.code,
    square:
      view.square === null
        ? null
        : {
            ...view.square,
            calibration: cutLong(view.square.calibration),
            rows: view.square.rows.map((row) => ({
              ...row,
              result: cutLong(row.result),
              logs: row.logs.slice(0, mostCellLogs).map(({ name, href }) => ({ name: showShort(name), href })),
            })),
          },
    gates:
      view.gates === null
        ? null
        : {
            ...{ pass: view.gates.pass, move: view.gatesMove },
            ...fit(view.gates.results, "gates", 260),
          },
    checks:
      view.checks === null || model.checks === null
        ? null
        : {
            ...view.checks,
            fingerprint: model.checks.fingerprint,
            moved: cutLong(view.checks.moved),
            line: view.checksLine,
            ...fit(results.map(check), "checks", 1000, 0.6),
          },
    baseline:
      view.baseline === null || model.baseline === null
        ? null
        : {
            ...view.baseline,
            fingerprint: model.baseline.fingerprint,
            ...fit(view.baseline.results, "checks", 900, 0.4),
          },
    gone: view.compared
      .filter(({ now }) => !now.ran)
      .slice(0, 100)
      .map(({ name }) => showShort(name)),
    tickets: fit(view.tickets, "tickets", 160),
    watchedAlarm: view.watchedAlarm,
    watchedAt: view.watchedAt,
    watchedCount: model.watchedAt?.count ?? 0,
    watched: moreOf(fit(view.watched, "watched", 330), view.moreWatched),
    watchAnswers: fit(view.watchAnswers, "watched", 60, 0.1),
    looks: fit(view.looks, "features", 260, 0.5),
    features: fit(view.features, "features", 260),
    images: viewImages(files.images),
    diff,
    noPatch: view.noPatch || "they cannot be read here",
    reviews: fit(view.reviews, "reviews", 700),
    passes,
    timeline: { ...timeline, passes: timeline.passes.map((each) => ({ ...each, href: passHref(each.pass) })) },
    spend: drawSpend(model.passes),
    paths: fit(model.changedPaths, "paths", 25),
    edits: fitRows(view.edits, { share: pageBudget.edits * 0.8, markup: 420, newest: true }),
    briefEdits: fitRows(view.briefEdits, { share: pageBudget.edits * 0.2, markup: 320, newest: true }),
    logs: logs.items,
    moreLogs: logs.more,
    artifacts: viewArtifacts(model.artifacts, model.runnerArtifacts, files.images, artifacts + Math.max(0, left)),
    journal: { events: model.journal.events, head: view.head, href: hrefOf("artifacts/journal.jsonl") },
  };
}

function moreOf<Row>(fitted: Fitted<Row>, before: number): Fitted<Row> {
  return { ...fitted, more: fitted.more + before };
}

type View = ReturnType<typeof viewModel>;

/** Each number of a pass is on the page once, so that a link can lead to it. */
function viewPasses(model: EvidenceModel, view: View) {
  const seen = new Set<number>();
  return view.passes.map((row, index) => {
    const { tokens, reviews } = model.passes[index] ?? { tokens: row.tokens, reviews: null };
    const anchor = seen.has(row.pass) ? "" : `pass-${row.pass}`;
    seen.add(row.pass);
    const reviewCost = reviews === null ? "" : `reviews ${formatCost(reviews.costUsd)}`;
    return { ...row, anchor, tokens: formatTokens(tokens), reviewCost };
  });
}

function viewDiff({ code }: EvidenceModel, files: PageFiles) {
  const show = openDiffView(pageBudget.diff - 20_000);
  let bytes = 20_000;
  // Only a commit that the host has, with nothing beside it, shows the file as it is here.
  const isThere = code !== null && code.pushed === true && code.dirty === false;
  const onHost = (path: string) =>
    isThere && code.commit !== null && code.web !== null && code.kind !== null
      ? (fileUrl(code.web, code.kind, code.commit, path) ?? "")
      : "";
  const patches = files.patches.slice(-100).map(({ title, path, read }) => {
    const head = { title, path, href: hrefOf(path) };
    if ("problem" in read) return { ...head, problem: read.problem, summary: "", files: [], moreFiles: 0, notes: [] };
    const { bytes: used, ...shown } = show(read.text);
    bytes = 20_000 + used;
    const linked = shown.files.map((file) => ({ ...file, host: file.change === "deleted" ? "" : onHost(file.name) }));
    return { ...head, problem: "", ...shown, files: linked };
  });
  return { patches, earlier: files.patches.length - patches.length, bytes };
}

/** Relative to artifacts/, the folder of the page. */
function hrefOf(path: string): string {
  return relativeHref(path, "artifacts") ?? "";
}
