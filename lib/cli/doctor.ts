import { adapters } from "../models/adapters/adapters.ts";
import { inScratch } from "../models/inspect/ask-program.ts";
import { cronPath, crontabLine } from "../models/inspect/discover.ts";
import type { ToolFacts } from "../models/inspect/inspect-cli.ts";
import type { AgentKeys, DoctorKeys, ToolKeys } from "../shapes/reports/models.ts";
import { createRedactor } from "../text/redact.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { findTroubles } from "./doctor-findings.ts";
import { type AgentFacts, type DoctorReport, makeReport, oldestNode } from "./doctor-report.ts";
import { configFor, describeContainment, describeReport } from "./doctor-words.ts";
import { stoppedExit, watchSignals } from "./signals.ts";

/** `doctor`: what is here to work with. Nothing is charged, and nothing stays behind. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const watch = watchSignals(context);
  try {
    const { value: report, findings } = await inScratch((scratch) =>
      makeReport(context, { scratch, redactor: createRedactor(context.env), abort: watch.signal }),
    );
    return {
      exitName: stoppedExit(watch.signal) ?? (report.config.loaded === null ? "config" : "ok"),
      json: describe(report),
      story: [],
      answer: describeReport(report),
      findings: [...findTroubles(report, context.env), ...findings],
    };
  } finally {
    watch.stop();
  }
}

function describe(report: DoctorReport): DoctorKeys {
  const { config, bwrap, signing, stateFolder, notOnCronPath } = report;
  return {
    config: { path: config.path, ok: config.loaded !== null, sandbox: config.loaded?.sandbox ?? null },
    agents: report.agents.map(describeAgent),
    models: report.models.map(({ name, adapter, presence }) => ({
      name,
      adapter,
      there: presence.kind === "there",
      problem: presence.kind === "there" ? null : presence.reason,
    })),
    node: { ...report.node, needs: oldestNode },
    git: describeTool(report.git),
    sandbox: { tool: "bwrap", ...describeTool(bwrap), config: "sandbox: bwrap" },
    signing: {
      config: config.loaded?.sign ?? null,
      key: signing?.key ?? null,
      problem: signing?.problems[0]?.message ?? null,
    },
    containment: { kind: report.containment, text: describeContainment(report).join("; ") },
    state_folder: stateFolder,
    cron: {
      path: cronPath,
      missing: notOnCronPath.map(({ program }) => program),
      line: notOnCronPath.length === 0 ? null : crontabLine(notOnCronPath),
    },
  };
}

function describeAgent(agent: AgentFacts): AgentKeys {
  const { program, npmPackage } = adapters[agent.name];
  return {
    name: agent.name,
    program,
    package: npmPackage,
    path: agent.path,
    version: agent.version,
    version_text: agent.versionText,
    callable: agent.callable,
    problem: agent.problem,
    login: agent.login,
    on_cron_path: agent.onCronPath,
    env: agent.variables,
    configured_as: agent.configuredAs,
    config: configFor(agent),
  };
}

function describeTool({ path, version, usable, problem }: ToolFacts): ToolKeys {
  return { path, version, usable, problem };
}
