import { relativeHref } from "../../documents/templates/relative-href.ts";
import { hashStyle, renderTemplate, splitProse } from "../../documents/templates/render-template.ts";
import { showShort } from "../../documents/templates/visible.ts";
import { fileUrl } from "../../git/hosts/links.ts";
import { openDiffView } from "../diff/diff-view.ts";
import { renderChange } from "../diff/list-changed-files.ts";
import type { EvidenceModel } from "../model/build-model.ts";
import { formatSize } from "../view/format.ts";
import { viewModel } from "../view/view.ts";
import { insertImages, viewArtifacts, viewImages } from "./page-artifacts.ts";
import { cutLong, type Fitted, fitRows, htmlBytes, pageBudget } from "./page-budget.ts";
import { noPageFiles, type PageFiles, type PageLog } from "./page-files.ts";
import { takeLogLines } from "./page-log.ts";

/**
 * artifacts/evidence.html: one self-contained page without scripts, under 5 MB. Its only links are relative, or lead to
 * the code on its host. Deterministic. `redact` sees all of it except the style and the pictures, which it must not
 * change.
 */
export function renderEvidencePage(
  model: EvidenceModel,
  files: PageFiles = noPageFiles,
  redact: (text: string) => string = (text) => text,
): string {
  const page = renderTemplate("evidence.html", {
    ...pageView(model, files),
    styleHash: hashStyle("evidence/page-style.html.eta"),
  });
  const body = page.indexOf("</head>");
  return `${page.slice(0, body)}${insertImages(redact(page.slice(body)), files.images)}`;
}

const ownFiles = ["README.md", "STATE.md", "EVIDENCE.md"];

/** Base64 is a third longer, and some markup is around it. */
const imageBytes = (size: number) => Math.ceil(size / 3) * 4 + 300;

/** Files of one patch that a reader passes on the way to the checks; the others are folded. */
const listedFiles = 20;
/** Logs of one run of the proof. */
const mostCellLogs = 50;

/** Everything that the page's template reads: each part within its share of the page's bytes, what is cut counted. */
function pageView(model: EvidenceModel, files: PageFiles) {
  const view = viewModel(model, "artifacts", files.patches);
  const logs = viewLogs(files.logs, pageBudget.logs);
  const diff = viewDiff(model, files);
  const pictures = files.images.reduce((sum, { bytes }) => sum + (bytes === null ? 300 : imageBytes(bytes.length)), 0);
  const left = pageBudget.images + pageBudget.diff + pageBudget.logs - pictures - diff.bytes - logs.bytes;
  const { artifacts, images: _, ...shares } = pageBudget;
  const fit = <Row>(rows: readonly Row[], share: keyof typeof shares, markup: number, part = 1) =>
    fitRows(rows, { share: shares[share] * part, markup });
  const anchorOf = (path: string) => logs.items.find((log) => log.path === path)?.id ?? "";
  const failed = view.checks?.results.filter(({ passed, excerpt }) => !passed && excerpt !== "") ?? [];
  const passes = fitRows(viewPasses(view), { share: pageBudget.passes, markup: 1000, newest: true });
  return {
    title: showShort(`${model.task.id}: ${model.task.title}`),
    task: { id: cutLong(model.task.id, 400), title: cutLong(model.task.title, 1000) },
    standing: { ...view.standing, headline: cutLong(view.standing.headline), detail: cutLong(view.standing.detail) },
    hero: view.hero.join(" · "),
    files: [
      ...ownFiles,
      ...(model.asks ? ["DECISIONS.md"] : []),
      ...(model.phase === "done" ? ["SUMMARY.md"] : []),
    ].map((name) => ({ name, href: hrefOf(name) })),
    code: view.code,
    diff: { ...diff, isThere: diff.patches.length + view.change.paths.length > 0 },
    openFiles: listedFiles,
    noPatch: view.change.noPatch,
    paths: fit(view.change.paths, "paths", 25),
    runs: view.matrix?.runs ?? [],
    unseparated: cutLong(view.matrix?.unseparated ?? ""),
    runOf: fit(view.matrix?.checks ?? [], "checks", 200, 0.2),
    matrix: (view.matrix?.rows ?? []).map((row) => ({
      ...row,
      result: cutLong(row.result),
      logs: row.logs.slice(0, mostCellLogs).map(({ name, href }) => ({ name: showShort(name), href })),
    })),
    failed: fit(failed, "checks", 300, 0.3).rows,
    checks: view.checks,
    compared: fit(
      view.compared.map((row) => ({ ...row, anchor: anchorOf(row.now.path) })),
      "checks",
      1000,
      0.7,
    ),
    attention: fit(view.attention, "tickets", 160),
    caught: fitRows(view.caught, { share: pageBudget.passes * 0.1, markup: 120, newest: true }),
    gates: fit(view.gates?.results ?? [], "gates", 260),
    gatesHold: view.gatesHold,
    gatesMove: view.gatesMove,
    watchedLine: view.watchedLine,
    watchedAt: view.watchedAt,
    watched: moreOf(fit(view.watched, "watched", 330), view.moreWatched),
    manual: fit(view.manual, "features", 260, 0.5),
    features: fit(view.features, "features", 260),
    images: viewImages(files.images),
    reviews: fit(view.reviews, "reviews", 700),
    fields: fit(view.fields, "fields", 60).rows.map(({ label, value }) => ({ label, parts: splitProse(value) })),
    passes,
    passesLine: view.passesLine,
    edits: fitRows(view.edits, { share: pageBudget.edits, markup: 420, newest: true }),
    logs: logs.items,
    moreLogs: logs.more,
    artifacts: viewArtifacts(model.artifacts, model.runnerArtifacts, files.images, artifacts + Math.max(0, left)),
    artifactsLine: view.artifactsLine,
    rest: model.journal.events + model.artifacts.length + view.fields.length > 0,
    before: view.before,
    journal: {
      ...view.journal,
      isThere: model.journal.events > 0,
      lastAt: view.lastAt,
      href: hrefOf("artifacts/journal.jsonl"),
      attestation: model.attested ? hrefOf("artifacts/attestation.json") : "",
    },
  };
}

function moreOf<Row>(fitted: Fitted<Row>, before: number): Fitted<Row> {
  return { ...fitted, more: fitted.more + before };
}

/** Each number of a pass is on the page once, so that a link can lead to it. */
function viewPasses({ passes }: ReturnType<typeof viewModel>) {
  const seen = new Set<number>();
  return passes.map((row) => {
    const anchor = seen.has(row.pass) ? "" : `pass-${row.pass}`;
    seen.add(row.pass);
    return { ...row, anchor };
  });
}

function viewDiff(model: EvidenceModel, files: PageFiles) {
  const { code } = model;
  const show = openDiffView(pageBudget.diff - 20_000);
  let bytes = 20_000;
  // Only a commit that the host has, with nothing beside it, shows the file as it is here.
  const isThere = code !== null && code.pushed === true && code.dirty === false;
  const onHost = (path: string) =>
    isThere && code.commit !== null && code.web !== null && code.kind !== null
      ? (fileUrl(code.web, code.kind, code.commit, path) ?? "")
      : "";
  const patches = files.patches.slice(-100).map(({ title, path, packed, read }) => {
    const head = { title, path, href: packed === true ? "" : hrefOf(path) };
    if ("problem" in read) return { ...head, problem: read.problem, summary: "", files: [], moreFiles: 0, notes: [] };
    const { bytes: used, ...shown } = show(read.text);
    bytes = 20_000 + used;
    const linked = shown.files.map((file) => ({
      ...file,
      told: cutLong(renderChange(model, file), 400),
      host: file.change === "deleted" ? "" : onHost(file.name),
    }));
    return { ...head, problem: "", ...shown, files: linked };
  });
  return { patches, earlier: files.patches.length - patches.length, bytes };
}

/** Relative to artifacts/, the folder of the page. */
function hrefOf(path: string): string {
  return relativeHref(path, "artifacts") ?? "";
}

/** Markup around one log. */
const aroundLog = 700;

/** The last part of each log, with the ids that links lead to; what failed is served first, the order stays. */
function viewLogs(logs: readonly PageLog[], share: number) {
  let left = share;
  const byNeed = logs.map((log, index) => ({ log, index })).sort((a, b) => Number(b.log.urgent) - Number(a.log.urgent));
  const taken = new Map<number, ReturnType<typeof takeLogLines>>();
  for (const { log, index } of byNeed) {
    left -= aroundLog + 2 * htmlBytes(log.name);
    if (left < 0) break;
    if ("problem" in log.read) continue;
    const part = takeLogLines(log.read.log, `log-${index + 1}`, left);
    left -= part.bytes;
    taken.set(index, part);
  }
  const items = logs.flatMap(({ name, path, packed, failed, read }, index) => {
    const href = packed === true ? "" : hrefOf(path);
    const head = { id: `log-${index + 1}`, name, path, href, open: failed };
    const part = taken.get(index);
    if ("problem" in read) return [{ ...head, problem: read.problem, size: "", earlier: 0, lines: [] }];
    if (part === undefined) return [];
    const { earlier, lines } = part;
    return [{ ...head, problem: "", size: formatSize(read.size), earlier, lines }];
  });
  return { items, more: logs.length - items.length, bytes: share - Math.max(0, left) };
}
