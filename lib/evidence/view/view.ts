import type { CheckResult } from "../../machine/check-run.ts";
import { relativeHref } from "../../templates/relative-href.ts";
import { formatDuration } from "../../text/duration.ts";
import type { EvidenceModel } from "../model/evidence-model.ts";
import { passFolder } from "../model/passes.ts";
import { changedPathsOf, type PatchRow, whyNoPatch } from "../model/patches.ts";
import { checksLine, viewCheck, viewCompared, viewSection } from "./view-checks.ts";
import { move, viewBriefEdit, viewCode, viewPass, viewReview } from "./view-rows.ts";
import { answerLine, viewWatched, watchedAlarm } from "./view-watched.ts";
import { formatCost, formatCount, formatSize, formatTime, plural, shortHash, words } from "./words.ts";

/** Rows beyond these make a document slow and nobody wiser; what is left out is counted. */
const shownArtifacts = 500;
const shownPaths = 200;
const shownWatched = 500;
/** No system opens a longer one: PATH_MAX of Linux. */
const longestPath = 4096;

/**
 * The values that the page and the Markdown share, as words. Addresses are relative to `folder`; empty if there is
 * none.
 */
export function viewModel(model: EvidenceModel, folder: "" | "artifacts") {
  const { journal, spend } = model;
  const href = (path: string) => (path.length > longestPath ? "" : (relativeHref(path, folder) ?? ""));
  const artifactHref = (address: string) => (folder === "" ? address : address.replace(/^artifacts\//, ""));
  const addresses = new Map(model.artifacts.map((row) => [row.path, row.href]));
  const proofHref = (proof: string) => artifactHref(addresses.get(proof.trim()) ?? "");
  const changed = changedPathsOf(model);
  const check = (each: CheckResult) => ({ ...viewCheck(each), log: href(each.log) });
  const side = (each: CheckResult | null, none: string) =>
    each === null ? { ran: false, passed: false, status: none, log: "" } : { ran: true, ...check(each) };
  return {
    task: model.task,
    standing: model.standing,
    userFacing: model.userFacing,
    fields: model.fields,
    gates: model.gates,
    gatesMove: model.gates === null ? "" : move(model.gates.from, model.gates.proposed),
    checks: model.checks === null ? null : { ...viewSection(model.checks), results: model.checks.results.map(check) },
    baseline:
      model.baseline === null
        ? null
        : {
            at: formatTime(model.baseline.at),
            fingerprint: shortHash(model.baseline.fingerprint),
            results: model.baseline.results.map(check),
          },
    checksLine: checksLine(model.checks),
    square:
      model.square === null
        ? null
        : {
            pass: model.square.pass,
            calibration: model.square.calibration ?? "",
            rows: model.square.rows.map((row) => ({
              ...row,
              logs: row.logs.map((log) => ({ name: log.name, href: href(log.path) })),
            })),
          },
    compared: model.compared.map((each) => ({
      ...viewCompared(each),
      baseline: side(each.baseline, model.baseline === null ? "not run" : "was not there"),
      now: side(each.now, model.checks === null ? "not run yet" : "not run"),
    })),
    watched: model.watched.slice(0, shownWatched).map((row) => viewWatched(row, changed)),
    moreWatched: Math.max(0, model.watched.length - shownWatched),
    watchedAt: model.watchedAt === null ? null : { ...model.watchedAt, at: formatTime(model.watchedAt.at) },
    watchedAlarm: watchedAlarm(model.watched),
    watchAnswers: model.watchAnswers.map((answer) => ({ at: formatTime(answer.at), line: answerLine(answer) })),
    looks: model.looks.map(viewLook),
    reviews: model.reviews.map((row) => ({ ...viewReview(row), href: href(row.report) })),
    code: viewCode(model.code),
    briefEdits: model.briefEdits.map(viewBriefEdit),
    passes: model.passes.map((row) => ({
      ...viewPass(row),
      href: row.record === null ? "" : href(`${passFolder(row.pass)}/pass.json`),
    })),
    tickets: model.tickets,
    features: model.features.map((row) => ({ ...row, label: words(row.label), href: proofHref(row.proof) })),
    edits: model.edits.map((edit) => ({ ...edit, at: formatTime(edit.at) })),
    artifacts: model.artifacts
      .slice(0, shownArtifacts)
      .map((row) => ({ path: row.path, href: artifactHref(row.href), size: formatSize(row.size), sha256: row.sha256 })),
    moreArtifacts: Math.max(0, model.artifacts.length - shownArtifacts),
    patches: model.patches.map((row) => ({ name: patchName(row, model.patches.length), href: href(row.path) })),
    noPatch: whyNoPatch(model),
    paths: model.changedPaths.slice(0, shownPaths),
    morePaths: Math.max(0, model.changedPaths.length - shownPaths),
    tokens: tokensLine(spend, ""),
    tokensSpent: tokensLine(spend, " tokens"),
    time: spend.durationMs === 0 ? "not known" : formatDuration(spend.durationMs),
    cost: costLine(spend),
    lastAt: journal.lastAt === null ? "nothing yet" : formatTime(journal.lastAt),
    head: journal.head ?? "none",
  };
}

/** What a person saw is never told as a result that the runner got. */
function viewLook({ name, look, answer }: EvidenceModel["looks"][number]) {
  const good = answer?.holds === true;
  if (answer === null) return { name, look, good, said: "no person has looked at this code yet" };
  return {
    name,
    look,
    good,
    said: `a person ${good ? "looked and said yes" : `said: ${answer.said}`} (${answer.question})`,
  };
}

/** For a link. */
function patchName({ pass, whole }: PatchRow, count: number): string {
  if (!whole) return `diff of pass ${pass}`;
  return count === 1 ? "diff" : `diff up to pass ${pass}`;
}

/** `3.9k, and 4 calls not known`; with a unit, that is behind the number. */
function tokensLine({ tokens, unknownTokens }: EvidenceModel["spend"], unit: "" | " tokens"): string {
  if (tokens === null) return `${unit} not known`.trimStart();
  const unknown = unknownTokens === 0 ? "" : `, and ${plural(unknownTokens, "call")} not known`;
  return `${formatCount(tokens)}${unit}${unknown}`;
}

function costLine(spend: EvidenceModel["spend"]): string {
  if (spend.costUsd === null || spend.unknownCosts === 0) return formatCost(spend.costUsd);
  return `${formatCost(spend.costUsd)}, and ${plural(spend.unknownCosts, "call")} not known`;
}
