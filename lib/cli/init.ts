import path from "node:path";
import { readTemplate } from "../documents/templates/render-template.ts";
import { findGitTop } from "../git/list-paths.ts";
import type { InitKeys } from "../rules/shapes/reports/tasks.ts";
import { applyInit, proveInit } from "../scaffold/init/apply.ts";
import type { BriefSource } from "../scaffold/init/given-brief.ts";
import { planInit } from "../scaffold/init/plan-init.ts";
import { entryKind, requireUsableEntry, requireUsableFolder } from "../scaffold/init/usable-entry.ts";
import { writeTask } from "../scaffold/interchange/write-tasks.ts";
import { makeFolder } from "../store/folder.ts";
import { createFile } from "../store/put-file.ts";
import { usageError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { editFile, readBriefSource, renderInit } from "./init-brief.ts";
import { type ChosenChecks, chooseChecks, defaultsFor, repoOf, type TaskRepo } from "./init-checks.ts";
import { makeHook } from "./init-hook.ts";
import {
  briefFlags,
  foretell,
  missingRepo,
  readDependencies,
  recordMade,
  refuseTakenId,
  refuseUnstartable,
  unusedWords,
} from "./init-judge.ts";
import {
  completeGitFiles,
  findExistingConfig,
  isNewRoot,
  makeConfig,
  offerIgnoreLines,
  recordTrust,
} from "./init-root.ts";
import { chooseInitTarget, type InitTarget, tasksIn } from "./init-target.ts";
import { show } from "./write-lines.ts";

/** Makes a task folder. Everything is judged before anything is written, and nothing that is there is changed. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const alone = onlyFor(context);
  if (alone !== null) return await alone;
  const { source, findings } = await readBriefSource(context);
  const target = await chooseInitTarget(context, source);
  try {
    const made = await makeTask(context, target, source);
    return { ...made, findings: [...findings, ...made.findings] };
  } finally {
    target.lock?.release();
  }
}

async function makeTask(
  context: CommandContext,
  target: InitTarget,
  source: BriefSource | null,
): Promise<CommandResult> {
  const { taskDir, tasksRoot } = target;
  requireUsableFolder(taskDir);
  const isNew = entryKind(path.join(taskDir, "README.md")) === "missing";
  const repo = repoOf(context, target, source);
  const chosen = chooseChecks(context, target, source, repo.folder);
  const tasks = tasksIn(tasksRoot);
  const dependsOn = isNew ? readDependencies(context, target, tasks, source) : [];
  const plan = planInit(readRequest(context, target, source, chosen, dependsOn, repo));
  if (isNew) {
    refuseTakenId(plan, target, tasks);
    refuseUnstartable(context, repo.folder);
  }
  for (const { name } of plan.files) requireUsableEntry(path.join(taskDir, name), "file");
  requireUsableEntry(path.join(taskDir, "artifacts"), "folder");
  const existing = findExistingConfig(context, taskDir);
  const isOwn = await isNewRoot(tasksRoot, existing, context);

  // A folder that is there is completed.
  const written = entryKind(taskDir) === "missing" ? writeTask(plan, taskDir) : applyInit(plan, taskDir);
  const config = makeConfig(context, existing, tasksRoot);
  const unnoted = written.made.includes("STATE.md") ? recordMade(taskDir, context) : [];
  const forGit = completeGitFiles(context, tasksRoot);
  const edited = context.flags.on("edit") ? editFile(context, path.join(taskDir, "README.md")) : [];
  const proven = proveInit(taskDir, written);
  const briefMade = written.made.includes("README.md");
  const foretold = foretell(context, taskDir);
  const untrusted = recordTrust(tasksRoot, isOwn, "init", context);
  const { story, next } = renderInit(context, {
    ...{ taskDir, foretold, isTrusted: untrusted.length === 0 },
    tasks: tasksIn(tasksRoot),
    id: proven.id,
    written,
    config,
    from: briefMade && source !== null ? source.from : null,
    chosen: briefMade ? chosen.story : [],
    forGit: forGit.written,
  });
  return {
    exitName: "ok",
    json: {
      task: proven.id,
      task_dir: taskDir,
      made: written.made,
      kept: written.kept,
      config: { path: config.path, made: config.made, models: config.models },
      checks: briefMade ? chosen.report : [],
      next,
    } satisfies InitKeys,
    story,
    answer: [taskDir],
    findings: [
      ...edited,
      ...forGit.findings,
      ...offerIgnoreLines(tasksRoot),
      ...proven.findings,
      ...unnoted,
      ...(briefMade
        ? missingRepo(repo, taskDir, context.flags.on("repo") || target.repo !== null)
        : unusedWords(context, taskDir, target.title === null, source?.from ?? null)),
      ...foretold.findings,
      ...untrusted,
    ],
  };
}

/** What is made for the person's own agent, in place of a task; null: a task is wanted. */
function onlyFor(context: CommandContext): CommandResult | Promise<CommandResult> | null {
  const hook = context.flags.text("hook");
  const name = hook === null ? "skill" : "hook";
  if (hook === null && !context.flags.on("skill")) return null;
  const other = (["task-dir", ...briefFlags, ...(hook === null ? [] : (["skill"] as const))] as const).find((flag) =>
    context.flags.on(flag),
  );
  if (other === undefined) return hook === null ? makeSkill(context) : makeHook(context, hook);
  throw usageError("TP_USAGE_SKILL", `--${name} makes only the ${name}, so it cannot be combined with --${other}`, {
    fix: `call init twice, once for the ${name} and once for the ${other === "skill" ? "skill" : "task"}`,
  });
}

function readRequest(
  context: CommandContext,
  target: InitTarget,
  source: BriefSource | null,
  found: ChosenChecks,
  dependsOn: readonly string[],
  repo: TaskRepo,
): Parameters<typeof planInit>[0] {
  const { flags, now } = context;
  const { taskDir, id, title } = target;
  return {
    taskDir,
    title,
    id,
    repo: repo.named,
    priority: flags.number("priority"),
    dependsOn,
    validators: flags.list("validator"),
    found,
    given: source?.given ?? null,
    userFacing: flags.on("user-facing"),
    shape: flags.on("shape"),
    defaults: defaultsFor(context, target),
    withTasks: flags.on("with-tasks"),
    now: now(),
  };
}

/** Where Claude Code and opencode look for skills of a repo. */
const skillFile = ".claude/skills/task-phase/SKILL.md";

/** `init --skill`: tells the person's own agent how to write briefs. In the repo around the current folder. */
function makeSkill(context: CommandContext): CommandResult {
  const file = path.join(findGitTop(context.cwd) ?? context.cwd, skillFile);
  const folder = path.dirname(file);
  requireUsableFolder(folder);
  requireUsableEntry(file, "file");
  makeFolder(folder);
  const made = createFile(file, readTemplate("SKILL.md"));
  const names = [show(context, file)];
  return {
    exitName: "ok",
    json: {
      task: null,
      task_dir: null,
      made: made ? names : [],
      kept: made ? [] : names,
      config: null,
      checks: [],
      next: null,
    } satisfies InitKeys,
    story: [
      `${made ? "made" : "kept"} ${show(context, file)}`,
      "Claude Code and opencode read it there; Codex reads .agents/skills/task-phase/SKILL.md, so copy it there",
    ],
    answer: [file],
    findings: [],
  };
}
