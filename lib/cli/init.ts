import { realpathSync } from "node:fs";
import path from "node:path";
import { readTemplate } from "../documents/templates/render-template.ts";
import { findGitTop } from "../git/list-paths.ts";
import type { InitKeys } from "../rules/shapes/reports/tasks.ts";
import { applyInit, proveInit } from "../scaffold/init/apply.ts";
import type { BriefSource } from "../scaffold/init/given-brief.ts";
import { takenId } from "../scaffold/init/names.ts";
import { planInit } from "../scaffold/init/plan-init.ts";
import { entryKind, requireUsableEntry, requireUsableFolder } from "../scaffold/init/usable-entry.ts";
import { writeTask } from "../scaffold/interchange/write-tasks.ts";
import { makeFolder } from "../store/folder.ts";
import { createFile } from "../store/put-file.ts";
import { recordNewTask } from "../task/guard/new-tasks.ts";
import { warningsOf } from "../text/attempt.ts";
import { usageError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { editFile, readBriefSource, renderInit } from "./init-brief.ts";
import { chooseChecks, defaultsFor, repoOf } from "./init-checks.ts";
import { ended, makeHook } from "./init-hook.ts";
import { briefFlags, foretell, missingRepo, readDependencies, refuseUnstartable, unusedWords } from "./init-judge.ts";
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
  const { flags, now } = context;
  const plan = planInit({
    ...{ taskDir, title: target.title, id: target.id, repo: repo.named, dependsOn, found: chosen },
    priority: flags.number("priority"),
    validators: flags.list("validator"),
    given: source?.given ?? null,
    userFacing: flags.on("user-facing"),
    shape: flags.on("shape"),
    defaults: defaultsFor(context, target),
    withTasks: flags.on("with-tasks"),
    now: now(),
  });
  if (isNew) {
    // Two tasks with one id could not be told apart.
    const other = tasks.find(({ id, folder }) => id === plan.id && folder !== taskDir);
    if (other !== undefined) throw takenId(plan.id, other.folder);
    refuseUnstartable(context, repo.folder);
  }
  for (const { name } of plan.files) requireUsableEntry(path.join(taskDir, name), "file");
  requireUsableEntry(path.join(taskDir, "artifacts"), "folder");
  const existing = findExistingConfig(context, taskDir);
  const isOwn = await isNewRoot(tasksRoot, existing, context);

  // A folder that is there is completed.
  const written = entryKind(taskDir) === "missing" ? writeTask(plan, taskDir) : applyInit(plan, taskDir);
  const config = makeConfig(context, existing, tasksRoot);
  // Without the note the folder is as good; only a pass of another task that is running would take it for its own.
  const note = () => recordNewTask(realpathSync(taskDir), context);
  const unnoted = written.made.includes("STATE.md") ? warningsOf(note) : [];
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

/** `init --skill`: tells the person's own agent how to write briefs. In the repo around the current folder. */
function makeSkill(context: CommandContext): CommandResult {
  // Where Claude Code and opencode look for skills of a repo.
  const file = path.join(findGitTop(context.cwd) ?? context.cwd, ".claude/skills/task-phase/SKILL.md");
  const folder = path.dirname(file);
  requireUsableFolder(folder);
  requireUsableEntry(file, "file");
  makeFolder(folder);
  const made = createFile(file, readTemplate("SKILL.md"));
  const names = [show(context, file)];
  return ended(
    made ? { made: names } : { kept: names },
    [
      `${made ? "made" : "kept"} ${show(context, file)}`,
      "Claude Code and opencode read it there; Codex reads .agents/skills/task-phase/SKILL.md, so copy it there",
    ],
    [file],
  );
}
