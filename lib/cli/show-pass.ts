import { type CheckResult, renderAttribution } from "../rules/check-run.ts";
import type { RunReport } from "../rules/shapes/reports/run.ts";
import type { EvidenceUrl, PassReport } from "../task/request.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type Line, paint, toneStyles, verdictStyles } from "./paint.ts";
import { show } from "./write-lines.ts";

/** The report as `run` and `loop` print it. */
export function passJson({ details: _, ...json }: PassReport): RunReport {
  return json;
}

/** The result of a pass, for people; the first line is the verdict. */
export function renderStory(report: PassReport, cwd: string): Line[] {
  const { verdict, details } = report;
  // Where nothing was kept, a finding has said so already.
  if (verdict === null) return details.unkept ? [] : [report.reason];
  const why = verdict === "accepted" && report.proposed === report.to ? details.made.join(", ") : report.reason;
  const lines: Line[] = [
    [
      `pass ${report.pass}${details.end?.kind === "no_model" ? ", no model" : ""}  ${report.from} → ${report.to}  `,
      paint(verdictStyles[verdict], verdict),
      why === "" ? "" : `  ${why}`,
    ],
    ...details.checks.map(renderCheck),
    ...report.tickets.map((ticket) => `  ticket ${ticket.id}: ${ticket.text.split("\n")[0] ?? ""}`),
  ];
  if (report.overridden.length > 0) lines.push(`  corrected by the runner: ${report.overridden.join(", ")}`);
  const page = report.evidence.path;
  if (page !== null) lines.push(`  ${renderEvidence(page, details.evidenceUrl, cwd)}`);
  // The basis of `done` is the last line that a person reads.
  if (details.doneTone !== null) lines.push([paint(toneStyles[details.doneTone], report.reason)]);
  return lines;
}

function renderCheck(check: CheckResult): Line {
  const { kind, name, status, unmet, exit_code: code, failure } = check;
  const said = unmet === undefined ? (failure?.said ?? null) : null;
  const since = renderAttribution(check);
  const known = since === "" ? "" : ` (${since})`;
  return [
    `  ${kind} ${name}: `,
    paint(status === "pass" ? "good" : "bad", status),
    `${unmet === undefined ? "" : ` (${unmet})`}${code === null ? "" : `, exit ${code}`}${known}${said === null ? "" : `: ${said}`}`,
  ];
}

/** The evidence page for people, with what they must know of the address. */
export function renderEvidence(path: string, at: EvidenceUrl | null, cwd: string): string {
  return `evidence: ${show({ cwd }, path)}${at === null ? "" : `  ${renderUrl(at)}`}`;
}

export function renderUrl({ url, label }: EvidenceUrl): string {
  return label === "" ? url : `${url} (${label})`;
}

export function passResult(report: PassReport, context: CommandContext): CommandResult {
  const { exit_name: exitName, findings, prompt } = report;
  return {
    exitName,
    findings,
    answer: prompt === undefined ? [] : [prompt.replace(/\n$/, "")],
    story: [...report.details.moves, report].flatMap((one) => renderStory(one, context.cwd)),
    json: passJson(report),
  };
}
