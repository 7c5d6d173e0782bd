import { mdCodeCell, mdFence } from "../../documents/templates/markdown-nodes.ts";
import { showHidden, showShort } from "../../documents/templates/visible.ts";
import type { PagePatch } from "../page/page-files.ts";
import type { viewModel } from "../view/view.ts";

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
  return [`${link(commit, href)}${where}`, ...labels].join(", ");
}

/** The findings of reviewers that nothing waits for, and those of an earlier state. */
export function listOtherFindings(
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
export function lastLines(text: string, count: number): string {
  if (count === 0) return "";
  return showHidden(text).trimEnd().split("\n").slice(-count).map(cutLine).join("\n");
}

/**
 * The whole change in a fence that no line of it can end; empty if it has more than `most` lines, or cannot be read. A
 * carriage return at the end of a changed line is spelled out, since nobody would see it.
 */
export function fenceDiff(patches: readonly PagePatch[], most: number): string {
  const texts = patches.flatMap(({ read }) => ("problem" in read ? [] : [read.text.trimEnd()]));
  const lines = texts.join("\n").split("\n");
  if (texts.length === 0 || texts.length < patches.length || lines.length > most) return "";
  const shown = lines.map((line) => cutLine(/^[+-]/.test(line) ? line.replace(/\r$/, "\\x0d") : line));
  return mdFence(shown.join("\n"), "diff");
}

function cutLine(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
