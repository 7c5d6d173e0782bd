import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { findInstalled } from "../agents/inspect/discover.ts";
import { renderConfigFile } from "../documents/templates/render-task-files.ts";
import type { ImportKeys } from "../rules/shapes/reports/tasks.ts";
import { readKnownTasks } from "../scaffold/interchange/judge-stories.ts";
import { planPrompt, planStories } from "../scaffold/interchange/plan-import.ts";
import { readPrd } from "../scaffold/interchange/prd-shape.ts";
import { readPrompt } from "../scaffold/interchange/read-prompt.ts";
import { isMeantAsJson, readJsonFile, readNamedFile } from "../scaffold/interchange/read-source.ts";
import { type ImportPlan, type ImportRequest, writeTasks } from "../scaffold/interchange/write-tasks.ts";
import { leadsToFolder } from "../store/folder.ts";
import { createFile } from "../store/put-file.ts";
import { recordNewTask } from "../task/guard/new-tasks.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";
import { warningsOf } from "../text/attempt.ts";
import { usageError } from "../text/errors.ts";
import type { Finding } from "../text/finding.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { newTasksRoot } from "./find-root.ts";
import { chooseChecks, repoOf } from "./init-checks.ts";
import { foretell } from "./init-judge.ts";
import { completeGitFiles, findExistingConfig, isNewRoot, recordTrust, toModelData } from "./init-root.ts";
import { ownRepo } from "./init-target.ts";
import { show } from "./write-lines.ts";

/** `import`: task folders from a prd.json, a prompt or the file of a loop. All is judged before anything is written. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { flags, cwd } = context;
  const from = path.resolve(cwd, requireFrom(context));
  const given = flags.text("tasks-root");
  const tasksRoot = locateRoot(given === null ? newTasksRoot(cwd) : path.resolve(cwd, given));
  const target = { taskDir: path.join(tasksRoot, "x"), tasksRoot, repo: ownRepo(context, tasksRoot) };
  const repo = repoOf(context, target, null);
  const chosen = chooseChecks(context, target, null, repo.folder);
  const { form, plan } = makePlan(context, from, { tasksRoot, repo: repo.named, found: chosen });
  const configThere = findExistingConfig(context, path.join(tasksRoot, "x"));
  const isDry = flags.on("dry-run");
  const isOwn = await isNewRoot(tasksRoot, configThere, context);
  const unnoted: Finding[] = [];
  const made = plan.tasks.filter(({ files }) => files !== null);
  if (!isDry && made.length > 0) {
    // Before it appears: a running pass must not take the folder for its own. Without the note it is as good.
    writeTasks(tasksRoot, made, (folder) => unnoted.push(...warningsOf(() => recordNewTask(folder, context))));
  }
  const config = configThere ?? path.join(tasksRoot, "task-phase.yaml");
  const models = configThere === null && !isDry ? findInstalled(context.env).map(toModelData) : [];
  // A call that was cut short may have made the tasks, and nothing else.
  const isThere = !isDry && plan.tasks.length > 0;
  const configMade = configThere === null && isThere && createFile(config, renderConfigFile(models));
  const forGit = isThere ? completeGitFiles(context, tasksRoot) : null;
  const trust = isThere ? recordTrust(tasksRoot, isOwn, "import", context) : [];
  // They have the same checks.
  const [first] = made;
  const foretold = isDry || first === undefined ? null : foretell(context, first.folder);
  const steps = [
    "read the briefs",
    ...(foretold?.findings.some(({ code }) => code === "TP_NO_CHECK") ? ["say in them which command checks each"] : []),
    ...(foretold?.lacksModel === true ? [`name a model in ${show(context, config)}`] : []),
  ];
  return {
    exitName: "ok",
    json: {
      from,
      form,
      tasks_root: tasksRoot,
      dry_run: isDry,
      tasks: plan.tasks.map(({ id, folder, files }) => ({ id, folder, made: files !== null && !isDry })),
      config: { path: config, made: configMade },
    } satisfies ImportKeys,
    story: [
      ...plan.tasks.map(
        ({ id, folder, files }) =>
          `${files === null ? "kept" : isDry ? "would make" : "made"} ${show(context, folder)}  ${id}`,
      ),
      ...(configMade ? [`made ${show(context, config)}`] : []),
      ...(forGit?.written ?? []).map((file) => `made ${show(context, file)}`),
      ...(made.length > 0 && plan.usesFound ? chosen.story : []),
      ...(made.length > 0 && !isDry
        ? [`next: ${steps.join(", ")}, then: task-phase run --tasks-root ${quoteWord(show(context, tasksRoot))}`]
        : []),
    ],
    answer: isDry ? [] : made.map(({ folder }) => folder),
    findings: [...plan.findings, ...unnoted, ...(forGit?.findings ?? []), ...(foretold?.findings ?? []), ...trust],
  };
}

function requireFrom({ flags }: CommandContext): string {
  const value = flags.text("from");
  if (value !== null) return value;
  throw usageError("TP_USAGE_NO_TARGET", "--from is missing", { fix: "write --from prd.json" });
}

/** The real path of the tasks root, made or not: passes know task folders by it. */
function locateRoot(folder: string): string {
  if (leadsToFolder(folder)) return realpathSync(folder);
  const parent = path.dirname(folder);
  if (existsSync(folder) || parent === folder) {
    const fix = "name the folder to put the task folders in";
    throw usageError("TP_TASKS_ROOT", "the tasks root is not a folder", { file: folder, fix });
  }
  return path.join(locateRoot(parent), path.basename(folder));
}

function makePlan(
  context: CommandContext,
  from: string,
  around: Pick<ImportRequest, "tasksRoot" | "repo" | "found">,
): { form: string; plan: ImportPlan } {
  const { flags } = context;
  const { tasksRoot } = around;
  const request: ImportRequest = {
    ...around,
    from,
    real: existsSync(from) ? realpathSync(from) : from,
    validators: flags.list("validator"),
    now: context.now(),
    known: leadsToFolder(tasksRoot) ? readKnownTasks(listTaskFolders(tasksRoot)) : [],
  };
  const bytes = readNamedFile(from, "--from");
  const named = { id: flags.text("id"), title: flags.text("title") };
  if (!isMeantAsJson(bytes, from)) {
    const prompt = readPrompt(bytes, from);
    return { form: prompt.form, plan: planPrompt(prompt, named, request) };
  }
  if (named.id !== null || named.title !== null) {
    const message = "--id and --title belong to a prompt; the stories of a prd.json have their own";
    throw usageError("TP_IMPORT_FLAGS", message, { fix: "omit them" });
  }
  const prd = readPrd(readJsonFile(bytes, from));
  return { form: "prd.json", plan: planStories(prd, request) };
}
