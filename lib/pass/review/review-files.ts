import { passName } from "../../documents/pass-pack.ts";
import { bySeverity } from "../../documents/review-report.ts";
import {
  code,
  fence,
  heading,
  item,
  list,
  paragraph,
  words,
  writeMarkdown,
} from "../../documents/templates/markdown-nodes.ts";
import { renderTemplate } from "../../documents/templates/render-template.ts";
import type { ReviewedEvent } from "../../rules/events.ts";
import { isBlocking } from "../../rules/review-standings.ts";
import { capital } from "../../rules/wording.ts";
import { severities } from "../../rules/words.ts";

/** One reviewer's report as a file of the pass: what was read from it, and the whole of it as it was written. */
export function reportFile(event: ReviewedEvent, finalText: string): string {
  const facts = [
    words`Before pass ${event.pass}, in ${event.phase}`,
    words`Model: ${event.model}`,
    words`Repo: ${code(event.fingerprint)}`,
    words`Result: ${renderResult(event)}`,
  ];
  const findings = event.findings.map(({ severity, text }) => words`${severity}: ${text}`);
  return writeMarkdown(
    heading(1, words`Review: ${event.role}`),
    list(facts.map((fact) => item(fact))),
    ...(findings.length === 0 ? [] : [heading(2, words`Findings`), list(findings.map((one) => item(one)))]),
    heading(2, words`What it said`),
    finalText.trim() === "" ? paragraph(words`Nothing.`) : fence(finalText),
  );
}

/** The findings of all reviewers, by severity and then by role; roles without a report come first. */
export function mergedFile(pass: number, events: readonly ReviewedEvent[]): string {
  const missing = events.flatMap(({ role, problem }) => (problem === null ? [] : [{ role, text: problem, href: "" }]));
  const all = events.flatMap(({ role, findings }) => findings.map((finding) => ({ role, ...finding, href: "" })));
  const parts = severities.map((severity) => ({
    title: capital(severity),
    lines: all.filter((finding) => finding.severity === severity),
  }));
  const sources = events.map(({ role, pass: number }) => ({
    ...{ role, text: "" },
    href: `${number === pass ? "" : `../../${passName(number)}/reviews/`}${role}.md`,
  }));
  const sections = [
    { title: "No readable report", lines: missing },
    ...parts,
    { title: "Reports", lines: sources },
  ].filter(({ lines }) => lines.length > 0);
  return renderTemplate("merged.md", { pass, sections, silent: all.length === 0 && missing.length === 0 });
}

export function renderResult({ problem, findings }: Pick<ReviewedEvent, "problem" | "findings">): string {
  if (problem !== null) return `no readable report: ${problem}`;
  if (findings.length === 0) return "no findings";
  const counted = severities.map((severity) => [severity, findings.filter((one) => one.severity === severity).length]);
  return counted.flatMap(([severity, count]) => (count === 0 ? [] : [`${count} ${severity}`])).join(", ");
}

export function logLine(event: ReviewedEvent): string {
  const first = bySeverity(event.findings).find(isBlocking);
  const shown = first === undefined ? "" : `, the first: ${first.text.slice(0, 300)}`;
  return `${event.at} pass ${event.pass} review ${event.role}: ${renderResult(event).replace(/\s+/g, " ").slice(0, 500)}${shown}\n`;
}
