import { randomBytes } from "node:crypto";
import { basename, dirname, relative } from "node:path";
import { changeOnBranch, findRunningFolder, runtimeRootOf } from "../fleet/run-local.ts";
import { sweepClones } from "../fleet/sweep-clones.ts";
import { openViewClone } from "../fleet/view-clone.ts";
import { findGitPlace, type GitPlace } from "../git/place.ts";
import { type AheadTask, type RootView, readView } from "../queue/views/root-view.ts";
import { realOrNull } from "../store/folder.ts";
import { placeOf } from "../task/records/task-place.ts";
import { catchForeseen } from "../text/attempt.ts";
import { hasCode, TaskPhaseError } from "../text/errors.ts";
import { errorFinding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import { stopRunner } from "./cancel.ts";
import type { CommandContext, CommandResult, RunCommand } from "./command.ts";
import type { CommandSpec } from "./command-spec.ts";
import { findTasksRoot } from "./find-root.ts";
import { makeRunner } from "./fleet-remotes.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseTarget, taskByName } from "./target.ts";
import { settingsOf, wrongBranch } from "./workspace.ts";

type Where = NonNullable<CommandSpec["onBranch"]>;

/**
 * Calls a command on the tasks where they are newest, in the working tree or on their branches, without a flag. One that
 * reads a task reads a working tree of the branch; one that changes it makes a commit there.
 */
export async function inNewest(
  body: RunCommand,
  { name: command, onBranch: where }: { readonly name: string; readonly onBranch: Where },
  context: CommandContext,
): Promise<CommandResult> {
  const tasksRoot = rootOf(context);
  if (tasksRoot === null || context.flags.text("git") !== null) return await body(context);
  const config = context.flags.text("config");
  const view = await readView(tasksRoot, config, context).catch(async (error: unknown) => {
    if (!hasCode(error, "TP_GIT")) throw error;
    // A `git prune` may have taken what a branch names.
    await sweepClones(tasksRoot, config, makePorts(context));
    return await readView(tasksRoot, config, context);
  });
  if (view.size === 0) return await body(context);
  const seen = { ...context, clonesRoot: runtimeRootOf(tasksRoot, context) };
  const found = where === "list" ? null : findAhead(context, tasksRoot, view);
  if (found === null) return await body({ ...seen, view });
  const at = { ...found, tasksRoot };
  if (command === "cancel") await stopThere(at, context);
  const wrong = wrongBranch(found.ahead);
  if (wrong !== null) throw wrong;
  if (where === "read") return await readThere(body, at, seen);
  return await changeThere(body, at, context);
}

/** Null where a command finds none either, and says so. */
function rootOf({ flags, cwd }: CommandContext): string | null {
  const named = flags.text("tasks-root");
  const task = flags.text("task-dir");
  const root = named ?? (task?.includes("/") === true ? dirname(task) : findTasksRoot(cwd));
  return root === null ? null : realOrNull(root.startsWith("/") ? root : `${cwd}/${root}`);
}

interface Found {
  readonly name: string;
  readonly ahead: AheadTask;
}

/** The one task that a call is about, if that is newer on its branch. */
function findAhead(context: CommandContext, tasksRoot: string, view: RootView): Found | null {
  const given = context.flags.text("task-dir");
  // Its folder may be on the branch alone.
  const byId = [...view].find(([name, { id }]) => given !== null && (id === given || name === given));
  if (byId !== undefined) return { name: byId[0], ahead: byId[1] };
  const find = () => {
    const target =
      given === null ? chooseTarget(context) : { kind: "task" as const, taskDir: taskByName(context.cwd, given) };
    if (target.kind === "root" || realOrNull(dirname(target.taskDir)) !== tasksRoot) return null;
    const name = basename(target.taskDir);
    const ahead = view.get(name);
    return ahead === undefined ? null : { name, ahead };
  };
  return catchForeseen(find, () => null);
}

interface At extends Found {
  readonly tasksRoot: string;
}

async function readThere(body: RunCommand, { ahead, tasksRoot }: At, context: CommandContext): Promise<CommandResult> {
  const tree = findGitPlace(tasksRoot);
  if (tree === null) return await body(context);
  const taskDir = await openViewClone(tree, ahead, { ...context, signal: new AbortController().signal });
  const result = await body(contextAt(taskDir, { tasksRoot, ahead, tree }, context));
  return {
    ...result,
    story: [`read from ${branchName(ahead.ref)}, which is ahead of your working tree`, ...(result.story ?? [])],
  };
}

/** A pass that works in a clone obeys the CONTROL.md there. */
async function stopThere({ tasksRoot, ahead }: At, context: CommandContext): Promise<void> {
  const tree = findGitPlace(tasksRoot);
  const folder = tree === null ? null : findRunningFolder(tree, ahead.id, context);
  if (folder === null) return;
  const { exitName, reason } = await stopRunner(placeOf(folder), context);
  context.tell(reason);
  if (exitName !== "ok") throw new TaskPhaseError(exitName, [errorFinding("TP_LOCKED", reason)]);
}

async function changeThere(body: RunCommand, at: At, context: CommandContext): Promise<CommandResult> {
  const { tasksRoot, name, ahead } = at;
  const ports = makePorts(context);
  const runner = makeRunner(context.env, randomBytes(6).toString("hex"));
  const words = `changed by a person (${context.flags.text("question") ?? context.flags.text("to") ?? "a word"})`;
  const config = context.flags.text("config");
  const request = { tasksRoot, folder: name, task: ahead.id, runner, words, config };
  const { value, findings } = await changeOnBranch(request, ports, (taskDir) =>
    body(contextAt(taskDir, { tasksRoot, ahead, tree: null }, context)),
  );
  return { ...value, findings: [...value.findings, ...findings] };
}

/** The context of a call about the folder in a clone. */
function contextAt(
  taskDir: string,
  { tasksRoot, ahead, tree }: Pick<At, "tasksRoot" | "ahead"> & { readonly tree: GitPlace | null },
  context: CommandContext,
): CommandContext {
  const { flags, env, cwd } = context;
  const { config, trust } = settingsOf(tasksRoot, flags.text("config"), context);
  return {
    ...context,
    ...(tree !== null && { ahead: { ...ahead, tree, tasksRoot } }),
    env: { ...env, ...trust },
    flags: {
      ...flags,
      text: (name) => (name === "task-dir" ? relative(cwd, taskDir) : name === "config" ? config : flags.text(name)),
    },
  };
}
