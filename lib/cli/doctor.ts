import { adapters } from "../agents/adapters/adapters.ts";
import { inScratch } from "../agents/inspect/ask-program.ts";
import { cronPath } from "../agents/inspect/discover.ts";
import type { ToolFacts } from "../agents/inspect/inspect-cli.ts";
import type { AgentKeys, DoctorKeys, ToolKeys } from "../rules/shapes/reports/models.ts";
import { createRedactor } from "../text/redact.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { renderCache } from "./doctor-cache.ts";
import { findTroubles } from "./doctor-findings.ts";
import { type AgentFacts, type DoctorReport, makeReport, oldestNode } from "./doctor-report.ts";
import { alignColumns, type Line, paint, titledColumns } from "./paint.ts";
import { stoppedExit, withSignals } from "./signals.ts";

/** `doctor`: what is here to work with. Nothing is charged, and nothing stays behind. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  return await withSignals(context, async (signal) => {
    const { value: report, findings } = await inScratch((scratch) =>
      makeReport(context, { scratch, redactor: createRedactor(context.env), abort: signal }),
    );
    return {
      exitName: stoppedExit(signal) ?? (report.config.loaded === null ? "config" : "ok"),
      json: toKeys(report),
      answer: renderReport(report),
      findings: [...findTroubles(report, context.env), ...findings],
    };
  });
}

function toKeys(report: DoctorReport): DoctorKeys {
  const { config, bwrap, signing, stateFolder, cron } = report;
  return {
    config: { path: config.path, ok: config.loaded !== null, sandbox: config.loaded?.sandbox ?? null },
    agents: report.agents.map(toAgentKeys),
    models: report.models.map(({ name, adapter, presence }) => ({
      name,
      adapter,
      there: presence.kind === "there",
      problem: presence.kind === "there" ? null : presence.reason,
    })),
    node: { ...report.node, needs: oldestNode },
    git: toToolKeys(report.git),
    sandbox: { tool: "bwrap", ...toToolKeys(bwrap), config: "sandbox: bwrap" },
    signing: {
      config: config.loaded?.sign ?? null,
      key: signing?.key ?? null,
      problem: signing?.problems[0]?.message ?? null,
    },
    containment: { kind: report.containment, text: renderContainment(report).join("; ") },
    state_folder: stateFolder,
    cache_folder: { path: report.cache.path, kept: [...report.cache.kept] },
    cron: {
      path: cronPath,
      missing: cron.missing.map(({ program }) => program),
      line: cron.line,
      entry: cron.entry,
    },
  };
}

function toAgentKeys(agent: AgentFacts): AgentKeys {
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
    config: `models: [{ name: ${agent.name}, adapter: ${agent.name} }]`,
  };
}

function toToolKeys({ path, version, usable, problem }: ToolFacts): ToolKeys {
  return { path, version, usable, problem };
}

/** The report for people: the agents, the configured models, what is around them, and what to do next. */
function renderReport(report: DoctorReport): Line[] {
  return [
    ...titledColumns(["agent", "version", "callable", "login", "configured as", "path"], report.agents.map(agentRow)),
    "",
    ...renderModels(report),
    ...alignColumns(surroundings(report)),
    "",
    ...nextSteps(report).map((step): Line => [paint("heading", "next:"), ` ${step}`]),
  ];
}

const endings: Readonly<Record<DoctorReport["containment"], string>> = {
  control_group: "the kernel kills whatever an agent leaves running, by a control group",
  proc: "processes that an agent leaves running are found and killed, even outside its process group; a fast chain of forks may escape",
  group: "only an agent's process group is killed: a process that leaves it keeps running",
};

/** How far the runner's hold on an agent reaches, in words. */
function renderContainment({ containment, bwrap, config }: DoctorReport): readonly [string, string, string] {
  const isSandboxed = config.loaded?.sandbox === "bwrap" && bwrap.usable === true;
  return [
    endings[containment],
    isSandboxed
      ? "the sandbox keeps agents away from the runner's own copies in the state folder"
      : "without a sandbox an agent of the same user can reach the runner's own copies in the state folder",
    isSandboxed
      ? "an agent whose runner is killed ends with it, by the kernel"
      : containment === "group"
        ? "an agent whose runner is killed keeps running until the next run ends it"
        : "an agent whose runner is killed is ended a moment later by a guard, unless that is killed too",
  ];
}

function agentRow(agent: AgentFacts): string[] {
  if (agent.path === null) return [agent.name, "-", "-", "-", "-", agent.problem ?? "not on PATH"];
  return [
    agent.name,
    agent.version ?? (agent.versionText === null ? "unknown" : shorten(agent.versionText, 30)),
    agent.callable === null ? "unknown" : agent.callable ? "yes" : "no",
    agent.login,
    agent.configuredAs.map((name) => shorten(name)).join(", ") || "-",
    agent.path,
  ];
}

function renderModels({ models }: DoctorReport): Line[] {
  if (models.length === 0) return [];
  const rows = models.map(({ name, adapter, presence }) => [
    shorten(name),
    adapter,
    presence.kind === "there" ? "there" : `missing: ${presence.reason}`,
  ]);
  return [...titledColumns(["model", "adapter", "program"], rows), ""];
}

function surroundings(report: DoctorReport): string[][] {
  const { node, git, bwrap, config, signing, stateFolder, cron } = report;
  const [ends, anchor, orphans] = renderContainment(report);
  const lacking = cron.missing.map(({ program }) => program).join(", ");
  const crontab = [cron.line, cron.entry].filter((line) => line !== null);
  return [
    ["config", config.path ?? "no task-phase.yaml found from here", config.loaded === null ? "wrong" : ""],
    ["node", node.version, node.ok ? node.path : `${oldestNode} or newer is needed`],
    ["git", ...toolCells(git)],
    ...(signing === null ? [] : [["signing", signing.key ?? "no key that signs", "`sign: ssh`"]]),
    ["bwrap", ...toolCells(bwrap), bwrap.usable === true ? "usable, with `sandbox: bwrap`" : ""],
    ["state", stateFolder.path, stateFolder.writable ? "" : "not writable"],
    ["cache", report.cache.path, renderCache(report.cache)],
    ["cron", `its PATH is ${cronPath}${lacking === "" ? "" : `; not on it: ${lacking}`}`],
    ...(cron.entry === null ? [] : [["", "a crontab that works here:"], ...crontab.map((line) => ["", line])]),
    ["containment", ends],
    ["", anchor],
    ["", orphans],
  ].map(([title, ...cells]) => [title ?? "", cells.filter((cell) => cell !== "").join("  ")]);
}

function toolCells(tool: ToolFacts): string[] {
  if (tool.path === null) return ["not on PATH"];
  return [tool.version ?? "version unknown", tool.usable === false ? `not usable: ${tool.problem}` : tool.path];
}

function nextSteps(report: DoctorReport): string[] {
  if (report.config.loaded === null) return ["correct task-phase.yaml"];
  return [...(report.git.usable === true ? [] : ["install git, or put its folder on PATH"]), ...modelSteps(report)];
}

function modelSteps({ agents, models, config }: DoctorReport): string[] {
  const ready = agents.filter((agent) => agent.callable === true);
  if (models.length > 0) {
    const unused = ready.filter((agent) => agent.configuredAs.length === 0).map(({ name }) => name);
    const add = unused.map((name) => `- { name: ${name}, adapter: ${name} }`).join(" and ");
    return [
      "task-phase probe asks each model for one word, which costs a little",
      ...(unused.length === 0 ? [] : [`to use ${unused.join(", ")} too, add under \`models\`: ${add}`]),
    ];
  }
  const broken = agents.filter((agent) => agent.callable === false).map(({ name }) => name);
  if (ready.length === 0 && broken.length > 0) return [`see above why ${broken.join(", ")} cannot be called`];
  if (ready.length === 0) return [`install an agent CLI, such as: npm install -g ${adapters.claude.npmPackage}`];
  const list = ready.map(({ name }) => `{ name: ${name}, adapter: ${name} }`).join(", ");
  return [
    config.path === null
      ? `task-phase init --task-dir tasks/T-1 makes a task, and task-phase.yaml with: ${ready.map(({ name }) => name).join(", ")}`
      : `write in ${config.path}: models: [${list}]`,
    "task-phase probe asks each of them for one word, which costs a little",
  ];
}
