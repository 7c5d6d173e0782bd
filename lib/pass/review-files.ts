import type { ReviewedEvent } from "../machine/events.ts";
import { type ReviewFinding, severities } from "../machine/facts.ts";
import { isBlocking } from "../machine/review-standings.ts";
import { bySeverity } from "../task-folder/review-report.ts";
import { mdCode, mdFence, mdInline } from "../templates/markdown-escape.ts";
import { passName } from "./task-place.ts";

/** One reviewer's report as a file of the pass: what was read from it, and the whole of it as it was written. */
export function reportFile(event: ReviewedEvent, finalText: string): string {
  return [
    `# Review: ${event.role}`,
    "",
    `- Before pass ${event.pass}, in ${event.phase}`,
    `- Model: ${mdInline(event.model)}`,
    `- Repo: ${mdCode(event.fingerprint)}`,
    `- Result: ${mdInline(sayResult(event))}`,
    "",
    ...(event.findings.length === 0 ? [] : ["## Findings", "", ...event.findings.map(item), ""]),
    "## What it said",
    "",
    finalText.trim() === "" ? "Nothing." : mdFence(finalText),
    "",
  ].join("\n");
}

/** What all reviewers found, by severity and then by role; who gave no report stands first. */
export function mergedFile(pass: number, events: readonly ReviewedEvent[]): string {
  const problems = events.filter((event) => event.problem !== null);
  const all = events.flatMap(({ role, findings }) => findings.map((finding) => ({ role, ...finding })));
  const parts = severities.map((severity) => {
    const items = all.filter((finding) => finding.severity === severity);
    return items.length === 0
      ? ""
      : section(
          severity,
          items.map((finding) => `- ${finding.role}: ${mdInline(finding.text)}`),
        );
  });
  const missing = problems.map((event) => `- ${event.role}: ${mdInline(event.problem ?? "")}`);
  const sources = events.map(({ role, pass: number }) => {
    const path = `${number === pass ? "" : `../../${passName(number)}/reviews/`}${role}.md`;
    return `- [${role}](${path})`;
  });
  return [
    `# Reviews before pass ${pass}`,
    "",
    ...(missing.length === 0 ? [] : [section("no readable report", missing)]),
    ...parts.filter((part) => part !== ""),
    ...(all.length === 0 && missing.length === 0 ? ["No findings.", ""] : []),
    section("reports", sources),
  ].join("\n");
}

/** How a review ended, in one line. */
export function sayResult({ problem, findings }: Pick<ReviewedEvent, "problem" | "findings">): string {
  if (problem !== null) return `no readable report: ${problem}`;
  if (findings.length === 0) return "no findings";
  const counted = severities.map((severity) => [severity, findings.filter((one) => one.severity === severity).length]);
  return counted.flatMap(([severity, count]) => (count === 0 ? [] : [`${count} ${severity}`])).join(", ");
}

export function logLine(event: ReviewedEvent): string {
  const first = bySeverity(event.findings).find(isBlocking);
  const shown = first === undefined ? "" : `, the first: ${first.text.slice(0, 300)}`;
  return `${event.at} pass ${event.pass} review ${event.role}: ${sayResult(event).replace(/\s+/g, " ").slice(0, 500)}${shown}\n`;
}

function item({ severity, text }: ReviewFinding): string {
  return `- ${severity}: ${mdInline(text)}`;
}

function section(title: string, lines: readonly string[]): string {
  return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n${lines.join("\n")}\n`;
}
