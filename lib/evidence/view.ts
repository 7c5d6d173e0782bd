import type { CheckResult } from "../machine/facts.ts";
import { relativeHref } from "../templates/relative-href.ts";
import { formatDuration } from "../text/duration.ts";
import type { CheckSection, EvidenceModel } from "./evidence-model.ts";
import { type PassRow, passFolder } from "./passes.ts";
import { formatCost, formatSize, formatTime, plural, shortHash, words } from "./words.ts";

/** Rows beyond these make a document slow and nobody wiser; what is left out is counted. */
const shownArtifacts = 500;
const shownPaths = 200;

/** What the page and the Markdown show alike, as words. Addresses are relative to `folder`; empty where there is none. */
export function viewModel(model: EvidenceModel, folder: "" | "artifacts") {
  const { journal, spend } = model;
  const href = (path: string) => relativeHref(path, folder) ?? "";
  const artifactHref = (address: string) => (folder === "" ? address : address.replace(/^artifacts\//, ""));
  const proofHref = (proof: string) =>
    artifactHref(model.artifacts.find((row) => row.path === proof.trim())?.href ?? "");
  const check = (each: CheckResult) => ({ ...viewCheck(each), log: href(each.log) });
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
    paths: model.changedPaths.slice(0, shownPaths),
    morePaths: Math.max(0, model.changedPaths.length - shownPaths),
    time: spend.durationMs === 0 ? "not known" : formatDuration(spend.durationMs),
    cost: costLine(spend),
    lastAt: journal.lastAt === null ? "nothing yet" : formatTime(journal.lastAt),
    head: journal.head ?? "none",
  };
}

function viewSection(checks: CheckSection) {
  const { pass, attempts, voided } = checks;
  return {
    pass,
    attempts,
    voided,
    at: formatTime(checks.at),
    fingerprint: shortHash(checks.fingerprint),
    moved: checks.moved.join(", "),
  };
}

function viewCheck(check: CheckResult) {
  return {
    name: check.name,
    kind: check.required ? check.kind : `${check.kind}, not required`,
    passed: check.status === "pass",
    status: words(check.status),
    compared: check.attribution === null ? "not compared" : words(check.attribution),
    exit: check.exit_code !== null ? String(check.exit_code) : (check.signal ?? "none"),
    duration: formatDuration(check.duration_ms),
    excerpt: check.excerpt,
  };
}

function viewPass(row: PassRow) {
  const notes = [
    ...(row.proposed === null || row.proposed === row.to ? [] : [`proposed ${words(row.proposed)}`]),
    ...(row.escalation === null ? [] : [`stopped by the runner: ${words(row.escalation)}`]),
    ...(row.progress.length === 0 ? [] : [`progress: ${row.progress.map(words).join(", ")}`]),
    ...(row.tampering.length === 0 ? [] : [`put back: ${row.tampering.join(", ")}`]),
    ...(row.overridden.length === 0 ? [] : [`overridden: ${row.overridden.join(", ")}`]),
  ];
  return {
    pass: row.pass,
    at: formatTime(row.at),
    model: row.model ?? "not known",
    move: row.from === "" ? "not judged" : move(row.from, row.to),
    verdict: words(row.verdict),
    good: row.verdict === "accepted",
    reason: row.reason,
    notes,
    checks: row.checks === null ? "not run" : `${row.checks.passed} of ${row.checks.ran} passed`,
    duration: row.durationMs === null ? "not known" : formatDuration(row.durationMs),
    cost: formatCost(row.costUsd),
    tokens: row.tokens,
    record: row.record === null ? "" : shortHash(row.record),
  };
}

function move(from: string, to: string): string {
  return from === to ? words(from) : `${words(from)} → ${words(to)}`;
}

function costLine(spend: EvidenceModel["spend"]): string {
  if (spend.costUsd === null || spend.unknownCosts === 0) return formatCost(spend.costUsd);
  return `${formatCost(spend.costUsd)}, and ${plural(spend.unknownCosts, "pass", "passes")} not known`;
}
