import { relative } from "node:path";
import { selectTask } from "../loop/select-task.ts";
import type { PassReport, PassRequest } from "../pass/request.ts";
import { runPass } from "../pass/run-pass.ts";
import { usageError } from "../report/errors.ts";
import { distinctFindings } from "../report/finding.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { watchSignals } from "./signals.ts";
import { chooseTarget } from "./target.ts";

/** `run`: one pass on the given task, or on the next runnable one of a tasks root. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { flags } = context;
  const named = readModels(context);
  const target = chooseTarget(context);
  const selected =
    target.kind === "task"
      ? ({ kind: "selected", taskDir: target.taskDir, findings: [] } as const)
      : selectTask(target.tasksRoot, flags.text("config"), context);
  if (selected.kind === "none") {
    return {
      exitName: selected.exitName,
      json: { reason: selected.reason },
      story: [selected.reason],
      answer: [],
      findings: selected.findings,
    };
  }
  const watch = watchSignals((line) => context.tell(line));
  try {
    const report = await runPass(
      {
        taskDir: selected.taskDir,
        repo: flags.text("repo"),
        ...named,
        timeoutMs: flags.number("timeout"),
        config: flags.text("config"),
        dryRun: flags.on("dry-run"),
      },
      makePorts(context, watch.signal),
    );
    const result = resultOf(report, context);
    return { ...result, findings: distinctFindings([...selected.findings, ...result.findings]) };
  } finally {
    watch.stop();
  }
}

/** `--model` or `--models`; neither: those of the configuration. */
function readModels({ flags }: CommandContext): Pick<PassRequest, "model" | "models"> {
  const model = flags.text("model");
  const list = flags.text("models");
  if (list === null) return { model, models: null };
  if (model !== null) {
    throw usageError("TP_USAGE_TWO_MODELS", "--model and --models exclude each other", { fix: "leave one out" });
  }
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length > 0) return { model, models: names };
  throw usageError("TP_USAGE_BAD_VALUE", `--models expects names of models, found '${shorten(list)}'`, {
    fix: "write --models NAME,NAME",
  });
}

function resultOf(report: PassReport, context: CommandContext): CommandResult {
  return {
    exitName: report.exitName,
    findings: report.findings,
    answer: report.prompt === null ? [] : [report.prompt.replace(/\n$/, "")],
    story: tellStory(report, context.cwd),
    json: {
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
      evidence: { path: report.evidence, url: null },
      next_eligible_at: report.nextEligibleAt,
      stages: report.stages,
      ...(report.prompt === null ? {} : { prompt: report.prompt }),
    },
  };
}

function tellStory(report: PassReport, cwd: string): string[] {
  if (report.verdict === null) return [report.reason];
  const why =
    report.verdict === "accepted" && report.proposed === report.to ? report.progress.join(", ") : report.reason;
  const lines = [`pass ${report.pass}  ${report.from} → ${report.to}  ${report.verdict}: ${why}`];
  for (const check of report.validators) {
    const known = check.attribution === null ? "" : ` (${check.attribution.replace("_", " ")})`;
    lines.push(
      `  ${check.kind} ${check.name}: ${check.status}${check.exit_code === null ? "" : `, exit ${check.exit_code}`}${known}`,
    );
  }
  for (const ticket of report.tickets) lines.push(`  ticket ${ticket.id}: ${ticket.text.split("\n")[0] ?? ""}`);
  if (report.overridden.length > 0) lines.push(`  the runner's own fields, put back: ${report.overridden.join(", ")}`);
  if (report.evidence !== null) lines.push(`  evidence: ${relative(cwd, report.evidence) || report.evidence}`);
  return lines;
}
