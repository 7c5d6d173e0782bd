import { inScratch, runAll } from "../agents/inspect/ask-program.ts";
import { defaultModel, findInstalled, setVariables } from "../agents/inspect/discover.ts";
import { type ProbeReport, probeModel } from "../agents/inspect/probe.ts";
import { type CliName, cliNames } from "../documents/config/adapter-names.ts";
import { findConfig } from "../documents/config/find-config.ts";
import { type LoadedConfig, loadConfig, type ModelConfig } from "../documents/config/load-config.ts";
import type { ProbeKeys } from "../rules/shapes/reports/models.ts";
import { dollars } from "../rules/spend.ts";
import { requireTrustedConfig } from "../task/trust.ts";
import { formatDuration } from "../text/duration.ts";
import { configError, usageError } from "../text/errors.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import { renderKnownNames } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { presentConfig } from "./doctor-report.ts";
import { type Line, titledColumns } from "./paint.ts";
import { makePorts } from "./pass-ports.ts";
import { stoppedExit, withSignals } from "./signals.ts";

const defaultTimeoutMs = 60_000;

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const config = loadConfig(presentConfig(context));
  const chosen = chooseModels(context, config);
  const asked = chosen.filter((model) => model.adapter !== "replay");
  requireTrusted(context, config, asked);
  const skipped = chosen.filter((model) => model.adapter === "replay");
  const timeoutMs = context.flags.number("timeout") ?? defaultTimeoutMs;
  if (config.sandbox === "bwrap" && asked.length > 0) await requireBwrap(config, context.env.PATH ?? "");
  if (asked.length > 0) context.tell(announce(asked, timeoutMs));
  return await withSignals(context, async (signal) => {
    const { env, now, redactor, signal: abort } = makePorts(context, signal);
    const { value: reports, findings } = await inScratch((scratch) => {
      const request = { scratch, env, now, redactor, timeoutMs, abort, sandbox: config.sandbox === "bwrap" };
      return runAll(asked.map((model) => probeModel(model, request)));
    });
    const allAnswer = chosen.length > 0 && reports.every((report) => report.outcome === "answers");
    return {
      exitName: stoppedExit(signal) ?? (allAnswer ? "ok" : "unavailable"),
      json: toKeys(config, timeoutMs, reports, skipped),
      answer: [...renderReports(reports), ...skipped.map(renderSkipped)],
      findings: [...noModel(chosen), ...findings],
    };
  });
}

/** Programs named by a folder's configuration are called only if that folder may run commands here. */
function requireTrusted(context: CommandContext, { path, models }: LoadedConfig, asked: readonly ModelConfig[]): void {
  if (path === null || findConfig(presentConfig(context))?.by === "user") return;
  if (asked.some((model) => models.includes(model))) requireTrustedConfig(path, context);
}

/** As a pass would be: never a call without the sandbox that is asked for. */
async function requireBwrap({ path: file }: LoadedConfig, pathVariable: string): Promise<void> {
  const { judgeBwrap } = await import("../pass/require-sandbox.ts");
  const problem = judgeBwrap(pathVariable, []);
  if (problem === null) return;
  throw configError("TP_SANDBOX", `\`sandbox: bwrap\` is set, but ${problem.message}`, { file, fix: problem.fix });
}

/** The one that was named, which may also be an agent CLI that is not configured; else all, else what is on PATH. */
function chooseModels({ flags, env }: CommandContext, { models, folder, path }: LoadedConfig): readonly ModelConfig[] {
  const named = flags.text("model");
  if (named === null) {
    return models.length > 0 ? models : findInstalled(env).map((cli) => defaultModel(cli, folder));
  }
  const configured = models.find((model) => model.name === named);
  if (configured !== undefined) return [configured];
  if (isCliName(named)) return [defaultModel({ name: named, env: setVariables(named, env) }, folder)];
  const names = new Set([...models, ...findInstalled(env)].map((model) => model.name));
  throw usageError("TP_MODEL_UNKNOWN", `no model is named ${shorten(named)}`, {
    file: path,
    fix: renderKnownNames(named, [...names], "the models are") ?? "task-phase doctor lists what is installed",
  });
}

function isCliName(word: string): word is CliName {
  return (cliNames as readonly string[]).includes(word);
}

function noModel(chosen: readonly ModelConfig[]): Finding[] {
  if (chosen.length > 0) return [];
  const fix = "task-phase doctor lists what is installed and how to add a model";
  return [errorFinding("TP_PROBE_NO_MODEL", "no model is configured, and no agent CLI is on PATH", { fix })];
}

function announce(asked: readonly ModelConfig[], timeoutMs: number): string {
  const names = asked.map((model) => shorten(model.name)).join(", ");
  return `asking ${names} for one word, for at most ${formatDuration(timeoutMs)}; these are real calls and may cost a little`;
}

function toKeys(
  config: LoadedConfig,
  timeoutMs: number,
  reports: readonly ProbeReport[],
  skipped: readonly ModelConfig[],
): ProbeKeys {
  return {
    config: config.path,
    timeout_ms: timeoutMs,
    models: reports.map((report) => ({
      name: report.name,
      adapter: report.adapter,
      configured: config.models.some((model) => model.name === report.name),
      outcome: report.outcome,
      duration_ms: report.durationMs,
      cost_usd: report.costUsd,
      tokens: report.tokens,
      detail: report.detail,
      until: report.until,
      next: report.next,
    })),
    skipped: skipped.map(({ name, adapter }) => ({ name, adapter })),
  };
}

function renderReports(reports: readonly ProbeReport[]): Line[] {
  if (reports.length === 0) return [];
  const rows = reports.map((report) => [
    shorten(report.name),
    report.outcome ?? "unknown",
    report.durationMs === null ? "-" : formatDuration(report.durationMs),
    report.durationMs === null ? "-" : report.costUsd === null ? "unknown" : dollars(report.costUsd),
    `${shorten(report.detail, 120)}${report.until === null ? "" : ` (until ${report.until})`}`,
  ]);
  const steps = reports.flatMap(({ name, next }) => (next === null ? [] : [`next for ${shorten(name)}: ${next}`]));
  return [...titledColumns(["model", "outcome", "time", "cost", "detail"], rows), ...steps];
}

function renderSkipped({ name }: ModelConfig): string {
  return `${shorten(name)} was not asked: a replay model plays recordings and answers no prompt`;
}
