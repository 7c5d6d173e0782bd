import { passPath } from "../../documents/pass-pack.ts";
import { relativeHref } from "../../documents/templates/relative-href.ts";
import { type CheckResult, renderAttribution } from "../../rules/check-run.ts";
import { renderTaken } from "../../rules/fresh.ts";
import { plural } from "../../rules/wording.ts";
import { formatDuration } from "../../text/duration.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { listChangedFiles, renderChange, sumChanges } from "../diff/list-changed-files.ts";
import type { CheckSection, EvidenceModel } from "../model/build-model.ts";
import type { ComparedCheck } from "../model/compare-checks.ts";
import { changedPathsOf, whyNoPatch } from "../model/patches.ts";
import type { PagePatch } from "../page/page-files.ts";
import { listAttention, renderManual } from "./attention.ts";
import { formatCost, formatCount, formatSize, formatTime, words } from "./format.ts";
import { move } from "./story.ts";
import { viewCode, viewPass, viewReview } from "./view-rows.ts";
import { viewWatched } from "./view-watched.ts";

/** More rows would make a document slow without helping a reader; the rest are counted. */
const shownArtifacts = 500;
const shownWatched = 500;
/** No system opens a longer one: PATH_MAX of Linux. */
const longestPath = 4096;

/**
 * The values that the page and the Markdown share, as words. Addresses are relative to `folder`; empty if there is
 * none.
 */
export function viewModel(model: EvidenceModel, folder: "" | "artifacts", patches: readonly PagePatch[]) {
  const { journal } = model;
  const isThere = findTrimmed(model);
  const href = (path: string) =>
    path.length > longestPath || !isThere(path) ? "" : (relativeHref(path, folder) ?? "");
  const artifactHref = (address: string) => (folder === "" ? address : address.replace(/^artifacts\//, ""));
  const addresses = new Map(model.artifacts.map((row) => [row.path, row.href]));
  const proofHref = (proof: string) => artifactHref(addresses.get(proof.trim()) ?? "");
  const changed = changedPathsOf(model);
  const check = (each: CheckResult) => ({ ...viewCheck(each), log: href(each.log) });
  const side = (each: CheckResult | null, none: string) =>
    each === null ? { ...notRun, status: none } : { ran: true, path: each.log, ...check(each) };
  const sideNow = (each: CheckResult | null) => {
    const now = side(each, model.checks === null ? "not run yet" : "not run");
    return each !== null && model.checks?.outdated
      ? { ...now, status: `${now.status} in pass ${model.checks.pass}` }
      : now;
  };
  const change = viewChange(model, patches);
  const passes = model.passes.map((row) => ({
    ...viewPass(row),
    href: row.record === null ? "" : href(`${passPath(row.pass)}/pass.json`),
  }));
  return {
    task: model.task,
    standing: model.standing,
    hero: renderInShort(model, change.summary),
    change,
    attention: listAttention(model).map(({ path, ...item }) => ({ ...item, href: path === "" ? "" : href(path) })),
    fields: model.fields,
    gates: model.gates,
    gatesHold:
      model.gates === null
        ? ""
        : `${model.gates.results.filter(({ ok }) => ok).length} of ${plural(model.gates.results.length, "gate holds", "gates hold")}`,
    gatesMove: model.gates === null ? "" : move(model.gates.from, model.gates.proposed),
    checks:
      model.checks === null
        ? null
        : {
            ...{ pass: model.checks.pass, at: formatTime(model.checks.at), fingerprint: model.checks.fingerprint },
            results: model.checks.results.map(check),
          },
    before: model.before === null ? null : { at: formatTime(model.before.at), fingerprint: model.before.fingerprint },
    matrix:
      model.matrix === null
        ? null
        : {
            runs: model.matrix.runs,
            unseparated:
              model.matrix.unseparated === null
                ? ""
                : `In clean copies the checks saw the other files of this machine: ${model.matrix.unseparated}`,
            checks: model.matrix.checks.map(({ name, marks }) => ({
              name,
              marks: marks.map((mark) =>
                mark === null
                  ? null
                  : { ...mark, status: mark.status.replace("_", " "), href: mark.path === null ? "" : href(mark.path) },
              ),
            })),
            rows: model.matrix.rows.map((row) => ({
              ...row,
              logs: row.logs.map((log) => ({ name: log.name, href: href(log.path) })),
            })),
          },
    compared: model.compared.map((each) => ({
      ...viewCompared(each),
      before: side(each.before, model.before === null ? "" : "was not there"),
      now: sideNow(each.now),
    })),
    watched: model.watched.slice(0, shownWatched).map((row) => viewWatched(row, changed)),
    moreWatched: Math.max(0, model.watched.length - shownWatched),
    watchedAt: model.watchedAt === null ? null : { ...model.watchedAt, at: formatTime(model.watchedAt.at) },
    watchedLine: watchedLine(model),
    manual: model.manual.map((row) => ({
      name: row.name,
      said: renderManual(row),
      good: row.answer?.holds === true,
    })),
    reviews: model.reviews.map((row) => ({ ...viewReview(row), href: href(row.report) })),
    code: viewCode(model.code),
    passes,
    caught: passes.filter(({ good }) => !good),
    passesLine: countVerdicts(model),
    features: model.userFacing
      ? model.features.map((row) => ({ ...row, label: words(row.label), href: proofHref(row.proof) }))
      : [],
    edits: model.edits.map((edit) => ({ ...edit, at: formatTime(edit.at) })),
    artifacts: model.artifacts
      .slice(0, shownArtifacts)
      .map((row) => ({ path: row.path, href: artifactHref(row.href), size: formatSize(row.size), sha256: row.sha256 })),
    artifactsLine: `${plural(model.artifacts.length, "file")} of the agent, ${formatSize(model.artifacts.reduce((sum, row) => sum + row.size, 0))}`,
    patches: model.patches.map(({ pass, whole, path }) => ({
      name: !whole ? `diff of pass ${pass}` : model.patches.length === 1 ? "diff" : `diff up to pass ${pass}`,
      href: href(path),
    })),
    journal: { events: plural(journal.events, "event"), head: journal.head ?? "none" },
    lastAt: journal.lastAt === null ? "" : formatTime(journal.lastAt),
  };
}

const notRun = { ran: false, passed: false, ...{ path: "", log: "", exit: "", duration: "", command: "" } };

/** The first things to know about a task, each only if somebody measured it. */
function renderInShort(model: EvidenceModel, change: string): string[] {
  const { spend, checks, passes } = model;
  return [
    ...(change === "" ? [] : [change]),
    ...(checks === null ? [] : [checksLine(checks)]),
    ...(passes.length === 0 ? [] : [countVerdicts(model), ...countModelless(model)]),
    ...(spend.durationMs === 0 ? [] : [formatDuration(spend.durationMs)]),
    ...(spend.costUsd === null ? [] : [withUnknown(formatCost(spend.costUsd), spend.unknownCosts)]),
    ...(spend.tokens === null || spend.tokens === 0
      ? []
      : [withUnknown(`${formatCount(spend.tokens)} tokens`, spend.unknownTokens)]),
  ];
}

/** A sum of some calls is not that of all. */
function withUnknown(sum: string, unknown: number): string {
  return unknown === 0 ? sum : `${sum}, and ${plural(unknown, "call")} not known`;
}

/** For example `7 passes: 6 accepted, 1 redirected`, in order of first occurrence. */
function countVerdicts({ passes }: EvidenceModel): string {
  const verdicts = [...new Set(passes.map((row) => row.verdict))];
  const counted = verdicts.map(
    (verdict) => `${passes.filter((row) => row.verdict === verdict).length} ${words(verdict)}`,
  );
  return `${plural(passes.length, "pass", "passes")}: ${counted.join(", ")}`;
}

/** For example `2 without a model`: passes in which the runner only ran the checks. */
function countModelless({ passes }: EvidenceModel): string[] {
  const count = passes.filter(({ model, verdict }) => model === null && verdict !== "interrupted").length;
  return count === 0 ? [] : [`${count} without a model`];
}

function watchedLine({ watched, watchedAt }: EvidenceModel): string {
  if (watchedAt === null) return "";
  const things = watchedAt.count === null ? "" : `, ${plural(watchedAt.count, "thing")} in all`;
  if (watched.length === 0) return `Tests and what the checks run are those of pass 1${things}`;
  const hiding = watched.filter(({ hides }) => hides).length;
  const could = hiding === 0 ? "none of which could hide a failure" : `${hiding} of which could hide a failure`;
  return `${plural(watched.length, "change")} of tests or of what the checks run, ${could}`;
}

/** Once only what proves the task is left of its passes, a file that the journal names need not be there any more. */
function findTrimmed({ packed, runnerArtifacts }: EvidenceModel): (path: string) => boolean {
  if (packed.size === 0) return () => true;
  const left = new Set(runnerArtifacts.map((row) => row.path));
  return (path) => !path.startsWith("artifacts/passes/") || left.has(path);
}

/**
 * What the task changed in the repo, file by file; without a patch that can be read, the paths that the journal names.
 */
function viewChange(model: EvidenceModel, patches: readonly PagePatch[]) {
  const changed = listChangedFiles(patches.flatMap(({ read }) => ("problem" in read ? [] : [read.text])));
  const files = changed.files.map((file) => ({ ...file, told: renderChange(model, file) }));
  const paths = files.length === 0 ? model.changedPaths : [];
  const theirs = [...files.map(({ name }) => name), ...paths].filter((path) => model.persons.has(path)).length;
  const sum = sumChanges(changed) || (paths.length === 0 ? "" : plural(paths.length, "changed path"));
  return {
    files,
    more: changed.more,
    paths: paths.map((name) => ({ name, told: renderChange(model, { name, change: "changed" }) })),
    summary: theirs === 0 ? sum : `${sum}, ${theirs} of them in commits of a person`,
    noPatch: files.length > 0 || paths.length === 0 ? "" : whyNoPatch(model) || "it cannot be read here",
  };
}

function viewCheck(check: CheckResult) {
  return {
    name: check.name,
    kind: check.required ? check.kind : `${check.kind}, not required`,
    passed: check.status === "pass",
    status: check.unmet === undefined ? words(check.status) : `${words(check.status)}: ${check.unmet}`,
    /** As a person would type it in a shell; empty if the journal does not say. */
    command: check.command.map(quoteWord).join(" "),
    exit: check.exit_code !== null ? String(check.exit_code) : (check.signal ?? "none"),
    duration: formatDuration(check.duration_ms),
    excerpt: check.excerpt,
  };
}

function viewCompared(each: ComparedCheck) {
  return {
    name: each.name,
    kind: each.required ? each.kind : `${each.kind}, not required`,
    compared: each.now === null ? "" : renderAttribution(each.now),
    good: each.now?.attribution !== "regressed" && each.now?.attribution !== "broken_before",
  };
}

function checksLine(checks: CheckSection): string {
  const { passed, ran } = checks.required;
  const line = checks.outdated
    ? `${passed} of ${ran} required checks passed in pass ${checks.pass}; the code has changed since`
    : `${passed} of ${ran} required checks pass${checks.taken === null ? "" : ` (${renderTaken(checks.taken)})`}`;
  return checks.voided ? `${line}; invalid, since the brief changed afterwards` : line;
}
