import { commitUrl } from "../../git/hosts/links.ts";
import { plural } from "../../rules/wording.ts";
import { severities } from "../../rules/words.ts";
import { formatDuration } from "../../text/duration.ts";
import type { EvidenceModel } from "../model/build-model.ts";
import type { ReviewRow } from "../model/list-reviews.ts";
import type { PassRow } from "../model/passes.ts";
import { formatCost, formatTime, formatTokens, shortHash, words } from "./format.ts";
import { move, renderPassStory } from "./story.ts";

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
    took: renderSpend({ ...row, reviews: null }),
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
    labels: [...(code.pushed === false ? ["not pushed yet"] : []), ...(code.dirty === true ? [renderDirty(code)] : [])],
    pass: code.pass,
  };
}

/** A verdict is written before the commit of its pass, which takes the changes of that pass. */
function renderDirty({ changedBy }: NonNullable<EvidenceModel["code"]>): string {
  return changedBy === null
    ? "with uncommitted changes that no pass made"
    : `with the changes of pass ${changedBy} on top`;
}

const cheaper = { cheap_tier: "cheap tier", small_context: "small context", no_self_review: "no self-review" } as const;

export function viewPass(row: PassRow) {
  const notes = [
    ...(row.trouble === null ? [] : [`the model ${row.trouble}`]),
    ...row.warned,
    ...(row.tampering.length === 0 ? [] : [`restored: ${row.tampering.join(", ")}`]),
    ...(row.overridden.length === 0 ? [] : [`overridden: ${row.overridden.join(", ")}`]),
  ];
  return {
    pass: row.pass,
    at: formatTime(row.at),
    model: row.model ?? "",
    move: row.from === "" ? "not judged" : move(row.from, row.to),
    story: renderPassStory(row),
    verdict: words(row.verdict),
    good: row.verdict === "accepted",
    notes,
    checks: row.checks === null ? "" : `${row.checks.passed} of ${row.checks.ran} checks passed`,
    took: renderSpend(row),
    degrade: row.degrade.map((step) => cheaper[step]).join(", "),
    record: row.record === null ? "" : shortHash(row.record),
  };
}

/** Time, cost and tokens, each only if somebody reported it. */
function renderSpend({
  durationMs,
  costUsd,
  tokens,
  reviews,
}: Pick<PassRow, "durationMs" | "costUsd" | "tokens" | "reviews">): string {
  return [
    ...(durationMs === null ? [] : [formatDuration(durationMs)]),
    ...(costUsd === null ? [] : [formatCost(costUsd)]),
    ...(reviews === null || reviews.costUsd === null
      ? []
      : [`${formatCost(reviews.costUsd)} for ${plural(reviews.count, "review")}`]),
    ...((tokens.input ?? 0) + (tokens.output ?? 0) === 0 ? [] : [formatTokens(tokens)]),
  ].join(", ");
}
