import { commitUrl } from "../../hosts/links.ts";
import { severities } from "../../machine/facts.ts";
import { formatDuration } from "../../text/duration.ts";
import type { BriefEdit } from "../model/brief-edits.ts";
import type { CodeThen, EvidenceModel } from "../model/evidence-model.ts";
import type { ReviewRow } from "../model/list-reviews.ts";
import type { PassRow } from "../model/passes.ts";
import { formatCost, formatTime, formatTokens, plural, shortHash, words } from "./words.ts";

export function viewReview(row: ReviewRow) {
  const counted = severities.flatMap((severity) =>
    row.counts[severity] === 0 ? [] : [`${row.counts[severity]} ${severity}`],
  );
  const blocking = row.findings.filter((finding) => finding.severity === "blocking");
  return {
    role: row.role,
    model: row.model,
    where: `${words(row.phase)}, before pass ${row.pass}`,
    at: formatTime(row.at),
    about: { present: "the current state", earlier: "an earlier state", void: "an earlier brief" }[row.about],
    current: row.about === "present",
    good: row.about === "present" && row.problem === null && blocking.length === 0,
    result: row.problem === null ? counted.join(", ") || "no findings" : `no readable report: ${row.problem}`,
    blocking: blocking.map((finding) => finding.text),
    others: row.findings.filter((finding) => finding.severity !== "blocking"),
    cost: formatCost(row.costUsd),
    tokens: formatTokens(row.tokens),
    duration: formatDuration(row.durationMs),
  };
}

/** Labels say what keeps a reader from seeing exactly this code on the host. */
export function viewCode(code: EvidenceModel["code"]) {
  if (code === null || code.commit === null) return null;
  const url = code.web === null || code.kind === null ? null : commitUrl(code.web, code.kind, code.commit);
  return {
    commit: shortHash(code.commit),
    href: url ?? "",
    branch: code.branch ?? "",
    labels: [
      ...(code.pushed === false ? ["not pushed yet"] : []),
      ...(code.dirty === true ? [describeDirty(code)] : []),
    ],
    pass: code.pass,
  };
}

/** A verdict is written before the commit of its pass, which takes the changes of that pass. */
function describeDirty({ changed, pass }: CodeThen): string {
  return changed ? `with the changes of pass ${pass} on top` : "with changes that were not committed";
}

export function viewBriefEdit(edit: BriefEdit) {
  return {
    at: formatTime(edit.at),
    was: shortHash(edit.was),
    now: shortHash(edit.now),
    keys: edit.keys === null ? "not known" : edit.keys.join(", ") || "nothing that counts",
    checks: edit.checkedSince ? "ran after it" : "have not run since",
    checkedSince: edit.checkedSince,
  };
}

const cheaper = { cheap_tier: "cheap tier", small_context: "small context", no_self_review: "no self-review" } as const;

export function viewPass(row: PassRow) {
  const notes = [
    ...(row.trouble === null ? [] : [`the model ${row.trouble}`]),
    ...(row.proposed === null || row.proposed === row.to ? [] : [`proposed ${words(row.proposed)}`]),
    ...(row.escalation === null ? [] : [`stopped by the runner: ${words(row.escalation)}`]),
    ...(row.progress.length === 0 ? [] : [`progress: ${row.progress.map(words).join(", ")}`]),
    ...(row.overBounds === null ? [] : [row.overBounds]),
    ...(row.tampering.length === 0 ? [] : [`restored: ${row.tampering.join(", ")}`]),
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
    reviewCost:
      row.reviews === null ? "" : `${plural(row.reviews.count, "review")}: ${formatCost(row.reviews.costUsd)}`,
    tokens: row.tokens,
    degrade: row.degrade.map((step) => cheaper[step]).join(", "),
    record: row.record === null ? "" : shortHash(row.record),
  };
}

export function move(from: string, to: string): string {
  return from === to ? words(from) : `${words(from)} → ${words(to)}`;
}
