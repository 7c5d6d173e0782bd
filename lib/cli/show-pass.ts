import { relative } from "node:path";
import type { CheckResult } from "../machine/check-run.ts";
import type { PassKeys } from "../shapes/reports/run.ts";
import type { EvidenceUrl, PassReport } from "../task/request.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type Line, paint, toneStyles, verdictStyles } from "./paint.ts";

/** The keys of one pass in the JSON object of `run` and `loop`. */
export function passJson(report: PassReport): PassKeys {
  return {
    task: report.task,
    pass: report.pass,
    from: report.from,
    proposed: report.proposed,
    to: report.to,
    verdict: report.verdict,
    reason: report.reason,
    model: report.model,
    duration_ms: report.durationMs,
    cost_usd: report.costUsd,
    tokens: report.tokens,
    progress: report.progress,
    validators: report.validators.map(({ name, status, exit_code, duration_ms, attribution, log }) => ({
      name,
      status,
      exit_code,
      duration_ms,
      attribution,
      log,
    })),
    tickets: report.tickets,
    overridden: report.overridden,
    evidence: evidenceJson(report.evidence, report.evidenceUrl),
    next_eligible_at: report.nextEligibleAt,
    stages: report.stages,
    ...(report.prompt === null ? {} : { prompt: report.prompt }),
  };
}

/** The result of a pass, for people; the first line is the verdict. */
export function describeStory(report: PassReport, cwd: string): Line[] {
  const { verdict } = report;
  // Where nothing was kept, a finding has said so already.
  if (verdict === null) return report.unkept === true ? [] : [report.reason];
  const why = verdict === "accepted" && report.proposed === report.to ? report.made.join(", ") : report.reason;
  const lines: Line[] = [
    [
      `pass ${report.pass}  ${report.from} → ${report.to}  `,
      paint(verdictStyles[verdict], verdict),
      why === "" ? "" : `  ${why}`,
    ],
    ...report.validators.map(describeCheck),
    ...report.tickets.map((ticket) => `  ticket ${ticket.id}: ${ticket.text.split("\n")[0] ?? ""}`),
  ];
  if (report.overridden.length > 0) lines.push(`  corrected by the runner: ${report.overridden.join(", ")}`);
  if (report.evidence !== null) lines.push(`  ${describeEvidence(report.evidence, report.evidenceUrl, cwd)}`);
  // The basis of `done` is the last line that a person reads.
  if (report.doneTone !== null) lines.push([paint(toneStyles[report.doneTone], report.reason)]);
  return lines;
}

function describeCheck({ kind, name, status, unmet, exit_code: code, attribution }: CheckResult): Line {
  const known = attribution === null ? "" : ` (${attribution.replace("_", " ")})`;
  return [
    `  ${kind} ${name}: `,
    paint(status === "pass" ? "good" : "bad", status),
    `${unmet === undefined ? "" : ` (${unmet})`}${code === null ? "" : `, exit ${code}`}${known}`,
  ];
}

/** `evidence` in the JSON of every command: the page on this disk, and where it opens in a browser. */
export function evidenceJson(path: string | null, at: EvidenceUrl | null): PassKeys["evidence"] {
  return { path, url: at?.url ?? null, pushed: at?.pushed ?? null };
}

/** The same for people, with what they must know of the address. */
export function describeEvidence(path: string, at: EvidenceUrl | null, cwd: string): string {
  return `evidence: ${relative(cwd, path) || path}${at === null ? "" : `  ${describeUrl(at)}`}`;
}

export function describeUrl({ url, label }: EvidenceUrl): string {
  return label === "" ? url : `${url} (${label})`;
}

/** What `run` says of a pass. */
export function passResult(report: PassReport, context: CommandContext): CommandResult {
  return {
    exitName: report.exitName,
    findings: report.findings,
    answer: report.prompt === null ? [] : [report.prompt.replace(/\n$/, "")],
    story: describeStory(report, context.cwd),
    json: passJson(report),
  };
}
