import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { readBlob } from "../../git/objects.ts";
import { renderRefLock } from "../../git/own-ref.ts";
import { findCommit } from "../../git/revision.ts";
import { runGit } from "../../git/run-git.ts";
import { readRefs, taskRefOf } from "../../git/task-branches.ts";
import { hasLanded } from "../../queue/views/has-landed.ts";
import { inspectRoot } from "../../queue/views/inspect-root.ts";
import type { InspectedTask } from "../../queue/views/inspect-task.ts";
import { readView } from "../../queue/views/root-view.ts";
import type { PassRunner } from "../../rules/events.ts";
import { removeAll } from "../../store/folder.ts";
import { tryLock } from "../../store/lock.ts";
import { cacheHome } from "../../store/state-home.ts";
import { lockInRoot } from "../../task/locks.ts";
import { handOnDelivered } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { readTaskJournal } from "../../task/records/task-journal.ts";
import { stands } from "../../task/records/task-place.ts";
import { usageError } from "../../text/errors.ts";
import { type Finding, infoFinding, warningFinding } from "../../text/finding.ts";
import { branchName } from "../../text/ref-name.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { claimPlace } from "../claim-place.ts";
import { type LocalWork, openLocal, patternOf, refuseCheckedOut } from "../local-work.ts";
import { seenRef } from "../see-branch.ts";
import { dropView } from "../view-clone.ts";
import { finishLanding } from "./finish-landing.ts";
import { type Landing, type MergeResult, mergeAndCheck } from "./land-task.ts";
import { dropLandRef, moveTarget } from "./move-target.ts";
import { sendBack } from "./send-back.ts";

export interface LandRequest {
  readonly tasksRoot: string;
  /** In the order in which they land. */
  readonly tasks: readonly LandingTask[];
  /** All tasks whose branch has not landed, including those to land. */
  readonly open: readonly LandingTask[];
  /** The branch that they land in; null: the one that the person is on. */
  readonly into: string | null;
  readonly config: string | null;
  readonly runner: PassRunner;
  /** The branches stay. */
  readonly keep: boolean;
  readonly dryRun: boolean;
}

export interface LandingTask {
  readonly task: InspectedTask;
  readonly ahead: Landing["task"];
}

export interface LandableTask extends LandingTask {
  /** The target has all of the branch. */
  readonly isIn: boolean;
}

export interface LandedTask {
  readonly task: string;
  readonly outcome: "landed" | "would_land" | "not_done" | "waits" | "conflict" | "failed" | "left";
  /** One sentence without a full stop. */
  readonly why: string;
  /** The merge; null: none was made. */
  readonly commit: string | null;
  readonly fix: string | null;
}

export function isLanded({ outcome }: LandedTask): boolean {
  return outcome === "landed" || outcome === "would_land";
}

/**
 * The tasks that have a branch, whatever the working tree has of them, and those of these names without one that are done in
 * the commit of the target. Throws as `openLocal`, and a usage error without a target or if a name has neither.
 */
export async function listLandable(
  { tasksRoot, into, config }: Pick<LandRequest, "tasksRoot" | "into" | "config">,
  named: readonly string[],
  ports: PassPorts,
): Promise<readonly LandableTask[]> {
  const { env } = ports;
  const view = await readView(tasksRoot, config, ports, new Map(), true);
  if (view.size === 0 && named.length === 0) return [];
  const work = await openLocal({ tasksRoot, folder: "", configFlag: config, base: null }, ports);
  const { commit } = await targetOf(work, into, ports);
  const found: LandableTask[] = [];
  for (const task of inspectRoot(tasksRoot, config, { ...ports, view })) {
    const { name, taskDir, journal } = task.place;
    const ahead = view.get(name);
    if (ahead !== undefined) {
      found.push({ task, ahead, isIn: await hasLanded(work.tree, ahead, commit, env) });
    } else if (task.id !== null && task.phase === "done" && [task.id, name].some((one) => named.includes(one))) {
      const there = await readBlob(work.tree, `${commit}:${relative(work.tree.top, journal)}`, env);
      const isIn = there?.equals(readTaskJournal(journal)?.bytes ?? Buffer.alloc(0)) === true;
      const at = { ref: taskRefOf(task.id, patternOf(work.config)), commit, path: relative(work.tree.top, taskDir) };
      if (isIn) found.push({ task, ahead: { id: task.id, ...at }, isIn });
    }
  }
  const unknown = named.find((name) => !found.some(({ task, ahead }) => [ahead.id, task.place.name].includes(name)));
  if (unknown !== undefined) throw await noBranch(unknown, found, work, env);
  return found;
}

async function noBranch(
  name: string,
  found: readonly LandableTask[],
  { tree, config }: LocalWork,
  env: NodeJS.ProcessEnv,
) {
  const branch = patternOf(config).replace("{id}", () => name);
  const refs = [...(await readRefs(tree, env)).objects.keys()];
  const fetched = refs.find((ref) => ref.startsWith("refs/remotes/") && ref.endsWith(`/${branch}`));
  const names = found.map(({ ahead }) => ahead.id).join(", ");
  const others = names === "" ? "task-phase status shows the tasks" : `those with a branch: ${names}`;
  const fix =
    fetched === undefined
      ? `${others}; if a remote has it, git fetch first`
      : `it was fetched; make it yours: git branch ${[branch, fetched.slice("refs/remotes/".length)].map(quoteWord).join(" ")}`;
  return usageError("TP_USAGE_LAND", `there is no branch of ${name}`, { fix });
}

/** Somebody else may move the target again and again. */
const mostTries = 5;

/**
 * Lands each task that is done: its branch is merged into the target once the required checks pass on the merge result.
 * A task that cannot be landed stays, and goes back to repair where that helps. Calls `told` for each task once its
 * result is known.
 */
export async function runLand(
  request: LandRequest,
  ports: PassPorts,
  told: (task: LandedTask) => void,
): Promise<{ readonly tasks: readonly LandedTask[]; readonly findings: readonly Finding[] }> {
  const tasks: LandedTask[] = [];
  const findings: Finding[] = [];
  const merging = new Set<string>();
  for (const one of request.tasks) {
    const landed = await landOne(one, request, ports, { before: tasks, merging, findings });
    tasks.push(landed);
    told(landed);
    if (ports.signal.aborted) break;
  }
  return { tasks, findings };
}

interface SoFar {
  readonly before: readonly LandedTask[];
  /** Of a dry run: the tasks whose branches the target would lead to by then. */
  readonly merging: Set<string>;
  readonly findings: Finding[];
}

async function landOne(
  { task, ahead }: LandingTask,
  request: LandRequest,
  ports: PassPorts,
  { before, merging, findings }: SoFar,
): Promise<LandedTask> {
  const say = (outcome: LandedTask["outcome"], why: string, more: Partial<LandedTask> = {}): LandedTask => ({
    ...{ task: ahead.id, outcome, why, commit: null, fix: null },
    ...more,
  });
  if (task.phase === null) return say("not_done", task.why, { fix: "task-phase status" });
  if (task.phase !== "done") return say("not_done", `it is in ${task.phase}`, { fix: `task-phase run ${ahead.id}` });
  const landed = new Set(before.filter(isLanded).map(({ task: id }) => id));
  const would = new Set(before.filter(({ outcome }) => outcome === "would_land").map(({ task: id }) => id));
  // Its branch has their work, whose checks it does not run.
  const open = request.open.filter(({ ahead: { id } }) => task.told?.dependsOn.includes(id) && !landed.has(id));
  if (open.length > 0) {
    const words = open.length === 1 ? "comes first and has" : "come first and have";
    const ids = open.map(({ ahead: { id } }) => id);
    const undone = open.find(
      (needed) => needed.task.phase !== "done" || before.some(({ task: id }) => id === needed.ahead.id),
    );
    const fix =
      undone === undefined ? `task-phase land ${[...ids, ahead.id].join(" ")}` : `task-phase run ${undone.ahead.id}`;
    return say("waits", `${ids.join(", ")} ${words} not landed`, { fix });
  }
  const folder = task.place.name;
  const place = { tasksRoot: request.tasksRoot, folder, configFlag: request.config, base: null };
  for (let tries = 1; ; tries += 1) {
    const work = await openLocal(place, ports);
    const target = await targetOf(work, request.into, ports);
    const first = request.tasks.map((one) => one.ahead).filter(({ id }) => would.has(id));
    const tips = first.filter(({ id }) => merging.has(id)).map(({ commit }) => commit);
    const landing = { work, task: ahead, target, first: tips };
    const lock = lockInRoot(task.place);
    let end: LandedTask | MergeResult | "behind";
    try {
      refuseCheckedOut(work, ahead.ref);
      const finished = request.dryRun ? [] : await finishLanding(landing, ports);
      if (typeof finished === "string") return say("left", finished, { fix: "read what git says, then land it again" });
      if (finished.length > 0) findings.push(finishedFinding(landing, finished));
      end = await mergeAndCheck(landing, ports, async (result) => {
        if (result.kind !== "proven" || request.dryRun) return result;
        const moved = await moveTarget(landing, result, ports);
        if (moved.kind === "behind") return "behind";
        if (moved.kind === "left") return say("left", moved.why, { fix: moved.fix });
        return say("landed", `merged into ${renderInto(target, result)}`, { commit: result.commit });
      });
      const isIn = typeof end === "object" && ("outcome" in end ? end.outcome === "landed" : end.kind === "merged");
      if (isIn && !request.keep && !request.dryRun) await forgetBranch(landing, ports, findings);
    } finally {
      lock.release();
    }
    if (end === "behind") {
      if (tries < mostTries) continue;
      return say("left", `${branchName(target.ref)} moved again and again`, { fix: "land it again" });
    }
    if ("kind" in end && end.kind === "proven" && end.isMerge) merging.add(ahead.id);
    return "outcome" in end ? end : await settle(end, landing, { request, folder, say, first }, ports, findings);
  }
}

function finishedFinding({ work, task, target }: Landing, paths: readonly string[]): Finding {
  const shown = [...paths.slice(0, 5), ...(paths.length > 5 ? [`${paths.length - 5} more`] : [])].join(", ");
  const message = `an earlier landing of ${task.id} was cut off; these files are now as ${branchName(target.ref)} has them: ${shown}`;
  return infoFinding("TP_LAND_FINISHED", message, { file: work.tree.top });
}

interface Settling {
  readonly request: LandRequest;
  /** What would land before it. */
  readonly first: readonly Landing["task"][];
  readonly folder: string;
  readonly say: (outcome: LandedTask["outcome"], why: string, more?: Partial<LandedTask>) => LandedTask;
}

async function settle(
  result: MergeResult,
  landing: Landing,
  { request, folder, say, first }: Settling,
  ports: PassPorts,
  findings: Finding[],
): Promise<LandedTask> {
  const { target, task, work } = landing;
  const into = branchName(target.ref);
  if (result.kind === "merged") return say("landed", `already in ${into}`, { commit: target.commit });
  if (result.kind === "proven") {
    const missing: string[] = [];
    for (const other of first) if (!(await hasLanded(work.tree, other, task.commit, ports.env))) missing.push(other.id);
    const tried = missing.length === 0 ? "" : `; this was tried without ${missing.join(", ")}, which would land first`;
    return say("would_land", `it merges into ${renderInto(target, result)}, and its checks pass there${tried}`);
  }
  const why =
    result.kind === "conflict"
      ? `git cannot merge what it and ${into} made of ${result.paths.join(", ")}`
      : `these checks do not pass on the merge with ${into}: ${result.checks.map(({ name }) => name).join(", ")}`;
  if (request.dryRun) return say(result.kind, why);
  const back = { ...landing, folder, result, runner: request.runner, configFlag: request.config };
  findings.push(...(await sendBack(back, ports)));
  return say(result.kind, `${why}; it goes on in repair, on the merge of both`, { fix: `task-phase run ${task.id}` });
}

function renderInto({ ref }: Landing["target"], { isMerge }: Extract<MergeResult, { kind: "proven" }>): string {
  const into = branchName(ref);
  return isMerge ? into : `${into} as one commit, since ${into} does not have the commits that its branch builds on`;
}

/** Throws a usage error where there is no such branch. */
async function targetOf(
  { tree, base }: LocalWork,
  into: string | null,
  { env }: PassPorts,
): Promise<Landing["target"]> {
  const ref = into === null ? base.ref : `refs/heads/${into}`;
  const commit = into === null ? base.commit : await findCommit(tree, ref, env);
  if (commit !== null && ref.startsWith("refs/heads/")) return { ref, commit };
  const message = into === null ? "HEAD is on no branch that tasks could land in" : `there is no branch ${into}`;
  throw usageError("TP_LAND_INTO", message, { file: tree.top, fix: "name an existing branch with --into" });
}

/** What is in the target needs no branch any more. That goes last, so that a call that is killed is finished by the next. */
async function forgetBranch({ work, task }: Landing, { env, home }: PassPorts, findings: Finding[]): Promise<void> {
  const { tree } = work;
  const drop = async (ref: string, commit: string) => {
    await runGit(tree, ["update-ref", "-d", ref, commit], { env, accept: [0, 1, 128], durable: true });
    if ((await findCommit(tree, ref, env)) !== commit) return;
    const message = `${task.id} has landed, but ${ref} could not be deleted`;
    const fix = renderRefLock(tree, [ref]) ?? `git update-ref -d ${quoteWord(ref)}`;
    findings.push(warningFinding("TP_GIT", message, { file: tree.commonDir, fix }));
  };
  const place = claimPlace(cacheHome(env, home), tree.commonDir, task.id);
  const { clone, seen, ended, taken, scratch, lock } = place;
  handOnDelivered(join(clone, task.path), join(tree.top, task.path), { env, home });
  dropView(place);
  for (const file of [seen, ended, taken]) rmSync(file, { force: true });
  const free = stands(scratch) ? tryLock(lock) : null;
  if (free !== null) removeAll(scratch);
  free?.release();
  await dropLandRef(tree, task.id, env);
  const kept = await findCommit(tree, seenRef(task.id), env);
  if (kept !== null && (await hasLanded(tree, { ...task, commit: kept }, task.commit, env)))
    await drop(seenRef(task.id), kept);
  await drop(task.ref, task.commit);
}
