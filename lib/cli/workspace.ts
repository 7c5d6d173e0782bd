import { randomBytes } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import { findConfig } from "../documents/config/find-config.ts";
import { type LoadedConfig, loadConfig } from "../documents/config/load-config.ts";
import { openLocal } from "../fleet/local-work.ts";
import { runLocal } from "../fleet/run-local.ts";
import { openViewClone } from "../fleet/view-clone.ts";
import { findGitPlace } from "../git/place.ts";
import type { Branch } from "../git/task-branches.ts";
import { runPass } from "../pass/run-pass.ts";
import { type AheadTask, type RootView, readView, usageBeside } from "../queue/views/root-view.ts";
import { readHistory } from "../rules/add-event.ts";
import { realOrNull } from "../store/folder.ts";
import { readListed } from "../task/list-tasks.ts";
import { refuseLockedTask } from "../task/locks.ts";
import { waitsForRecovery } from "../task/records/anchor.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { readTaskJournal } from "../task/records/task-journal.ts";
import { locateTask, placeIn, stands, type TaskPlace } from "../task/records/task-place.ts";
import type { PassReport, PassRequest } from "../task/request.ts";
import { isTrusted } from "../task/trust.ts";
import { orElse } from "../text/attempt.ts";
import { hasCode, TaskPhaseError } from "../text/errors.ts";
import type { CommandContext } from "./command.ts";
import { makeRunner } from "./fleet-remotes.ts";

export type Workspace = LoadedConfig["workspace"];

/** Settings of a person's tasks root that apply even if no commit has them: a clone of it receives both. */
export function settingsOf(
  tasksRoot: string,
  configFlag: string | null,
  { env, home, cwd }: Pick<CommandContext, "env" | "home" | "cwd">,
): { readonly config: string | null; readonly trust: Readonly<Record<string, string>> } {
  const found = configFlag ?? findConfig({ env, home, cwd, configFlag, taskDir: join(tasksRoot, "any") })?.path;
  return { config: found ?? null, trust: isTrusted(tasksRoot, { env, home }) ? { TASK_PHASE_TRUST: "1" } : {} };
}

/** The tasks as they are now, after a pass that may have been done on a branch. */
export async function seeNow(taskDir: string, context: CommandContext): Promise<CommandContext> {
  const root = realOrNull(dirname(resolve(context.cwd, taskDir))) ?? dirname(taskDir);
  return { ...context, view: await readView(root, context.flags.text("config"), context) };
}

type OnePass = (request: PassRequest, ports: PassPorts & { readonly view?: RootView }) => Promise<PassReport>;

/** As task-phase.yaml says. Whatever keeps it from being read, or is in the place of its folder, the pass itself says. */
export function workspaceOf(taskDir: string, { env, home, cwd, flags }: CommandContext): Workspace {
  return orElse(() => loadConfig({ configFlag: flags.text("config"), env, home, cwd, taskDir }).workspace, "here");
}

/**
 * How passes are done: in the working tree, or each in a clone of its own. A task that has gone on on its branch goes on
 * there, and one that depends on what is done there and has not landed begins there. A dry run writes nothing, and reads the
 * folder where it is newest.
 */
export function passesIn(workspace: Workspace): OnePass {
  let turn: Promise<unknown> = Promise.resolve();
  let base: Branch | null = null;
  return async (request, ports) => {
    if (workspace === "here" && (ports.view?.size ?? 0) === 0) return await runPass(request, ports);
    const { tasksRoot, name } = placeOfNamed(request.taskDir, ports);
    // Before git is asked anything: a second runner is told at once.
    refuseLockedTask(placeIn(tasksRoot, name));
    const ahead = ports.view?.get(name);
    const isAhead = ahead !== undefined;
    const wrong = isAhead ? wrongBranch(ahead) : null;
    if (wrong !== null) throw wrong;
    const tree = isAhead && request.dryRun ? findGitPlace(tasksRoot) : null;
    if (isAhead && tree !== null) {
      const { config, trust } = settingsOf(tasksRoot, request.config, ports);
      const taskDir = await openViewClone(tree, ahead, ports);
      return await runPass({ ...request, taskDir, config }, { ...ports, env: { ...ports.env, ...trust } });
    }
    // What tasks have used on their branches counts in the working tree, too.
    const beside = (view: RootView) => ({ ...ports, otherUsage: () => usageBeside(tasksRoot, name, view) });
    const needs = judgeNeeds(placeIn(tasksRoot, name), ports.view);
    if (request.dryRun || (workspace === "here" && !isAhead && needs.met.size === 0))
      return await runPass(request, { ...(ports.view === undefined ? ports : beside(ports.view)), needs });
    let release: () => void = () => undefined;
    const mine = turn;
    turn = new Promise<void>((resolve) => {
      release = resolve;
    });
    // One after the other until each is claimed: the next one then counts what this one may use.
    await mine;
    try {
      const view = await readView(tasksRoot, request.config, ports, ports.view);
      const { taskDir: _, ...pass } = request;
      const runner = makeRunner(ports.env, randomBytes(6).toString("hex"));
      const task = view.get(name)?.id ?? null;
      const work = await openLocal({ tasksRoot, folder: name, configFlag: request.config, base }, ports);
      base ??= work.base;
      const asked = { tasksRoot, folder: name, task, runner, onClaimed: release, work, pass };
      return await runLocal(asked, beside(view));
    } finally {
      release();
    }
  };
}

/** What a task depends on that is done and has not landed. One that has begun in the working tree does not leave it. */
function judgeNeeds({ taskDir, journal }: TaskPlace, view: RootView = new Map()): NonNullable<PassPorts["needs"]> {
  const needed = readListed(taskDir)?.dependsOn ?? [];
  const isOpen = ({ row, isIn }: AheadTask) => row.kind === "read" && row.files.phase === "done" && !isIn;
  const open = new Set([...view.values()].flatMap((one) => (needed.includes(one.id) && isOpen(one) ? [one.id] : [])));
  const hasBegun = readHistory(readTaskJournal(journal)?.events ?? []).lastPass > 0;
  return hasBegun ? { met: new Set(), unmerged: open } : { met: open, unmerged: new Set() };
}

/** Why the branch cannot be where the task is newest; null: it is. */
export function wrongBranch({ row }: AheadTask): TaskPhaseError | null {
  const error = row.kind === "failed" && row.error instanceof TaskPhaseError ? row.error : null;
  return error !== null && (hasCode(error, "TP_TASK_FORKED") || hasCode(error, "TP_TASK_BRANCH")) ? error : null;
}

/** A task that is on its branch alone has no folder, and one whose folder an agent took away gets it back. */
export function placeOfNamed(
  taskDir: string,
  ports: Pick<PassPorts, "cwd" | "env" | "home"> & { readonly view?: RootView },
): TaskPlace {
  const { cwd, view } = ports;
  if (view?.has(basename(taskDir)) === true && !stands(taskDir)) return placeIn(dirname(taskDir), basename(taskDir));
  return locateTask(taskDir, cwd, (gone) => waitsForRecovery({ taskDir: gone }, ports));
}
