import { mdCodeCell } from "../../templates/markdown-nodes.ts";
import { showHidden, showShort } from "../../templates/visible.ts";
import type { EvidenceModel } from "../model/evidence-model.ts";
import type { viewModel } from "../view/view.ts";
import { plural, words } from "../view/words.ts";

type View = ReturnType<typeof viewModel>;

const longestLine = 300;

/**
 * The commit, linked if the host is known, with its branch and what keeps a reader from seeing exactly this code.
 */
export function codeLine(
  code: View["code"],
  name: (text: string) => string,
  link: (text: string, href: string) => string,
): string {
  if (code === null) return "";
  const { commit, href, branch, labels } = code;
  const where = branch === "" ? "" : ` on ${mdCodeCell(name(branch))}`;
  return [`${link(commit, href)}${where}`, ...labels.map((label) => `**${label}**`)].join(", ");
}

/** The reviewers' findings in their own words; blocking ones of reports that count are separate. */
export function listFindings(
  reviews: View["reviews"],
  { rows, cell, text: longest }: { readonly rows: number; readonly cell: number; readonly text: number },
  name: (text: string) => string,
) {
  const blocking = reviews.flatMap((row) =>
    row.current ? row.blocking.map((text) => ({ role: row.role, text })) : [],
  );
  const others = reviews.flatMap(({ role, current, blocking: texts, others: findings }) => [
    ...(current ? [] : texts.map((text) => ({ role, severity: "blocking, of an earlier state", text }))),
    ...findings.map(({ severity, text }) => ({ role, severity: String(severity), text })),
  ]);
  return {
    blocking: blocking.slice(0, rows).map(({ role, text }) => ({ role: name(role), text: showShort(text, longest) })),
    moreBlocking: Math.max(0, blocking.length - rows),
    findings: others
      .slice(0, rows)
      .map((each) => ({ ...each, role: name(each.role), text: showShort(each.text, cell) })),
    findingCount: others.length,
    moreFindings: Math.max(0, others.length - rows),
  };
}

/** As `4 accepted, 1 rejected`, in the order in which they first happened. */
export function countVerdicts({ passes }: EvidenceModel): string {
  const verdicts = [...new Set(passes.map((row) => row.verdict))];
  const counted = verdicts.map(
    (verdict) => `${passes.filter((row) => row.verdict === verdict).length} ${words(verdict)}`,
  );
  return `${plural(passes.length, "pass", "passes")}: ${counted.join(", ")}`;
}

/** The end of a program's output, its lines cut. */
export function lastLines(text: string, count: number): string {
  if (count === 0) return "";
  const lines = showHidden(text).trimEnd().split("\n").slice(-count);
  return lines.map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line)).join("\n");
}
