import { realpathSync } from "node:fs";
import path from "node:path";
import { placeOf } from "../anchor/task-place.ts";
import { findConfig } from "../config/find-config.ts";
import { findGitTop } from "../git/list-paths.ts";
import { recordNewTask } from "../guard/new-tasks.ts";
import { applyInit, proveInit } from "../init/apply.ts";
import { look, requireUsableEntry, requireUsableFolder } from "../init/look.ts";
import { type InitPlan, planInit } from "../init/plan.ts";
import { adapters } from "../models/adapters/adapters.ts";
import { findInstalled, type InstalledCli } from "../models/inspect/discover.ts";
import { configError, TaskPhaseError, usageError } from "../report/errors.ts";
import { type Finding, infoFinding, warningFinding } from "../report/finding.ts";
import type { InitKeys } from "../shapes/reports/tasks.ts";
import { createFile } from "../store/put-file.ts";
import { loadContract } from "../task/load-contract.ts";
import { judgeChecksAt, judgeReady } from "../task/require-ready.ts";
import { type ModelData, renderConfigFile } from "../templates/task-files.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import type { FlagName } from "./command-table.ts";
import { makeSkill } from "./init-skill.ts";
import { isNewRoot, recordTrust } from "./record-trust.ts";
import { show } from "./show-path.ts";

/** Flags that say what is in the brief. */
const briefFlags: readonly FlagName[] = ["title", "id", "repo", "priority", "depends-on", "validator", "user-facing"];

/** Makes a task folder. Everything is judged before anything is written, and nothing that is there is changed. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  if (context.flags.on("skill")) return skillAlone(context);
  const taskDir = requireTaskDir(context);
  requireUsableFolder(taskDir);
  const plan = planInit(readRequest(context, taskDir));
  for (const { name } of plan.files) requireUsableEntry(path.join(taskDir, name), "file");
  requireUsableEntry(path.join(taskDir, "artifacts"), "folder");
  const configThere = findExistingConfig(context, taskDir);
  const tasksRoot = path.dirname(taskDir);
  const isOwn = await isNewRoot(tasksRoot, configThere, context);

  const written = applyInit(plan, taskDir);
  const config = configThere ?? path.join(path.dirname(taskDir), "task-phase.yaml");
  const models = configThere === null ? findInstalled(context.env) : [];
  const configMade = configThere === null && createFile(config, renderConfigFile(models.map(toModelData)));
  const unnoted = written.made.includes("STATE.md") ? noteMade(taskDir, context) : [];
  const proven = proveInit(taskDir, written);
  const findings = [
    ...proven.findings,
    ...unnoted,
    ...unusedFlags(context, taskDir, written.kept),
    ...missingRepo(context, taskDir, written.made),
    ...foretell(context, taskDir),
    ...recordTrust(tasksRoot, isOwn, "init", context),
  ];
  return {
    exitName: "ok",
    json: {
      task: proven.id,
      task_dir: taskDir,
      made: written.made,
      kept: written.kept,
      config: { path: config, made: configMade, models: configMade ? models.map(({ name }) => name) : [] },
    } satisfies InitKeys,
    story: [
      ...written.made.map((name) => `made ${show(context, path.join(taskDir, name))}`),
      ...written.kept.map((name) => `kept ${show(context, path.join(taskDir, name))}`),
      `${configMade ? "made" : "kept"} ${show(context, config)}${configMade ? renderModels(models) : ""}`,
      ...nextSteps(context, taskDir, plan, configMade ? models.map(({ name }) => name) : null, config),
    ],
    answer: [taskDir],
    findings,
  };
}

function skillAlone(context: CommandContext): CommandResult {
  const other = (["task-dir", ...briefFlags] as const).find((name) => context.flags.on(name));
  if (other === undefined) return makeSkill(context);
  throw usageError("TP_USAGE_SKILL", `--skill makes the skill alone, and takes no --${other}`, {
    fix: "call init twice, once for the skill and once for the task",
  });
}

function requireTaskDir(context: CommandContext): string {
  const given = context.flags.text("task-dir");
  if (given !== null) return path.resolve(context.cwd, given);
  throw usageError("TP_USAGE_NO_TARGET", "--task-dir is missing", {
    fix: "write --task-dir tasks/T-123-stream-csv",
  });
}

/** The task-phase.yaml that holds for this folder; null if one is to be made. One that was named must be there. */
export function findExistingConfig({ cwd, env, home, flags }: CommandContext, taskDir: string): string | null {
  const found = findConfig({ configFlag: flags.text("config"), env, home, taskDir, cwd });
  if (found === null) return null;
  if (look(found.path) !== "missing") return found.path;
  const by = found.by === "flag" ? "--config" : "TASK_PHASE_CONFIG";
  throw configError("TP_CONFIG_FILE", `${by} names a file that does not exist`, {
    file: found.path,
    fix: `create the file, or omit ${by}`,
  });
}

function readRequest({ flags, cwd, now }: CommandContext, taskDir: string): Parameters<typeof planInit>[0] {
  const repo = flags.text("repo");
  return {
    taskDir,
    title: flags.text("title"),
    id: flags.text("id"),
    repo: repo === null ? null : path.resolve(cwd, repo),
    priority: flags.number("priority"),
    dependsOn: [...new Set(flags.list("depends-on"))],
    validators: flags.list("validator"),
    userFacing: flags.on("user-facing"),
    withTasks: flags.on("with-tasks"),
    now: now(),
  };
}

/** Without the note the folder is as good; only a pass of another task that is running would take it for its own. */
function noteMade(taskDir: string, context: CommandContext): Finding[] {
  try {
    recordNewTask(realpathSync(taskDir), context);
    return [];
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return error.findings.map((finding) => warningFinding(finding.code, finding.message, finding));
  }
}

function unusedFlags(context: CommandContext, taskDir: string, kept: readonly string[]): Finding[] {
  const given = briefFlags.filter((name) => context.flags.on(name)).map((name) => `--${name}`);
  if (given.length === 0 || !kept.includes("README.md")) return [];
  return [
    warningFinding("TP_INIT_FLAGS_NOT_USED", `the brief already existed and was kept; not used: ${given.join(", ")}`, {
      file: path.join(taskDir, "README.md"),
      fix: "change the front matter of the brief by hand",
    }),
  ];
}

function missingRepo(context: CommandContext, taskDir: string, made: readonly string[]): Finding[] {
  if (context.flags.on("repo") || !made.includes("README.md") || findGitTop(taskDir) !== null) return [];
  return [
    infoFinding("TP_INIT_NO_GIT", "the task folder is in no git repo, and no --repo was given", {
      file: path.join(taskDir, "README.md"),
      fix: "set repo to the working tree in the front matter of the brief, or give --repo to run",
    }),
  ];
}

/** Reasons for which the first run would refuse, as warnings. An empty new brief is the next step, not a mistake. */
function foretell(context: CommandContext, taskDir: string): Finding[] {
  const place = placeOf(realpathSync(taskDir));
  let found: readonly Finding[];
  try {
    const contract = loadContract(place, context.flags.text("config"), context);
    const at = { ...place, lastPass: 0 };
    found = [...judgeReady(contract, at), ...judgeChecksAt(at, contract, context.flags.text("repo"), context)];
  } catch (error) {
    // A brief that was there before is judged above, whatever it says.
    if (!(error instanceof TaskPhaseError)) throw error;
    return [];
  }
  return found
    .filter(({ code }) => code !== "TP_BRIEF_EMPTY")
    .map((finding) => warningFinding(finding.code, finding.message, finding));
}

export function toModelData({ name, env }: InstalledCli): ModelData {
  return { name, env, example: adapters[name].knownEnv[0] ?? "MY_API_KEY" };
}

function renderModels(models: readonly InstalledCli[]): string {
  if (models.length === 0) return " without a model: no agent CLI is on PATH";
  return ` with the agent CLIs on PATH: ${models.map(({ name }) => name).join(", ")}`;
}

/** `models` are those of a new task-phase.yaml; null if it was there before. */
function nextSteps(
  context: CommandContext,
  taskDir: string,
  plan: InitPlan,
  models: readonly string[] | null,
  config: string,
): string[] {
  const brief = show(context, path.join(taskDir, "README.md"));
  const name = models?.length === 0 ? ", and name a model in task-phase.yaml" : "";
  const probe = `task-phase probe --config ${quoteWord(show(context, config))}`;
  return [
    `next: say in ${brief} what ${plan.id} is about (a run refuses an empty brief)${name}`,
    ...((models ?? []).length > 0 ? [`then: ${probe}, to see whether each model answers`] : []),
    `then: task-phase run --task-dir ${quoteWord(show(context, taskDir))}`,
  ];
}
