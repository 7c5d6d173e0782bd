import { relative } from "node:path";
import { carryOutNotes } from "../agents/rotation/model-notes.ts";
import { findHandover } from "../checks/handover.ts";
import { readCode } from "../checks/read-code.ts";
import { loadWatch } from "../checks/watch-repo.ts";
import { listChanged } from "../git/head.ts";
import { readBlob } from "../git/objects.ts";
import { findGitPlace } from "../git/place.ts";
import { RefusedError } from "../notify/events/refused-error.ts";
import { isProven } from "../rules/headline.ts";
import { commitsIn, pushesIn } from "../rules/words.ts";
import { readEnvFiles } from "../task/env-files.ts";
import { findRepo } from "../task/load-contract.ts";
import { type HeldLocks, refuseLockedRepo } from "../task/locks.ts";
import { type OpenTask, openBeforeLocking } from "../task/open-task.ts";
import { requireWritable } from "../task/own-folders.ts";
import { pathsOfPasses, readPassPaths } from "../task/pass-paths.ts";
import { countEvents } from "../task/records/task-journal.ts";
import { type HeldTask, type Stop, stop } from "../task/session.ts";
import { warningFinding } from "../text/finding.ts";
import { assemble } from "./assemble.ts";
import { findLostPass, supersededBy } from "./checkpoint/find-lost-pass.ts";
import { finishCommits, listCommits } from "./checkpoint/git-checkpoint.ts";
import { writeBack } from "./checkpoint/write-back.ts";
import { claimPass, commitStop, commitVerdict } from "./commit-verdict.ts";
import { unkeptStop } from "./pass-report.ts";
import { openOrPutBack } from "./people/put-back.ts";
import { planPass } from "./plan-pass.ts";
import { beginOf, type PassCall, type Plan, type PreparedPass } from "./prepared-pass.ts";
import { notingEarlyRefusal, notingRefusal } from "./recovery/record-refusal.ts";
import { openRecovered } from "./recovery/recover.ts";
import { checkpointTask, tryCheckpoint } from "./verdict/checkpoint-file.ts";
import { holdBack, letGoOn } from "./verdict/hold-back.ts";
import { refreshPages, trimToProof } from "./verdict/write-evidence.ts";
import { watchControl } from "./watch-control.ts";

/** A task under its locks, and its next pass, ready to run or stopped. */
export interface HeldPass {
  readonly session: HeldTask;
  readonly task: OpenTask;
  readonly prepared: PreparedPass | Stop;
}

/**
 * Reads the task before anything is locked, so that no lock file is left where the input is bad or another runner holds the
 * repo. Gives how many events its journal has.
 */
export async function readAhead({ place, request, ports }: PassCall): Promise<number> {
  const found = await notingEarlyRefusal(place, request, ports, () => {
    const opened = openBeforeLocking(place, request.config, ports);
    return opened && { ...opened, repo: findRepo(place, opened.contract, request.repo, ports) };
  });
  if (found === null) return countEvents(place);
  refuseLockedRepo(found.repo, ports);
  return found.journal.seq;
}

/**
 * PREP: recovers, opens, plans and makes: after an interrupted pass is finished or undone, the task is read, the pass is
 * planned, and everything that it needs is made and made public. The task is locked already.
 */
export async function prepare(call: PassCall, locks: HeldLocks): Promise<HeldPass> {
  let opened = await openTaskAnew(call, locks);
  let lost = await findLost(opened, call);
  // The branch is at another machine's pass now, so everything that was read is out of date.
  while (lost?.inTheWay === null) {
    opened = await openTaskAnew(call, locks);
    lost = await findLost(opened, call);
  }
  const { session, task } = opened;
  if (opened.refused !== null) {
    refreshPages(session, task);
    return await endStopped(opened, opened.refused, call);
  }
  if (lost !== null) {
    const { id } = task.contract;
    return { session, task, prepared: unkeptStop(session, id, supersededBy(lost, id, session.history.lastPass)) };
  }
  const plan = await keepingRefusal(opened, call, () => planAnew(opened, call));
  return plan.kind === "stopped" ? await endStopped(opened, plan, call) : await makePass(opened, plan, call);
}

/** Like `notingRefusal`; also commits the news for readers in a git host. */
async function keepingRefusal<Value>(
  { session, task, repo }: Omit<Opened, "refused">,
  { ports }: PassCall,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await notingRefusal(session, task, work);
  } catch (error) {
    if (error instanceof RefusedError && error.isNews && ports.fence === undefined) {
      const { phase } = session.history;
      await commitStop(session, task, repo, { ...stop("config", error.message, phase), isNews: true }, ports);
    }
    throw error;
  }
}

/** A task under its locks, as read. */
interface Opened {
  readonly session: HeldTask;
  readonly task: OpenTask;
  readonly repo: string;
  /** STATE.md was lost, and was put back. */
  readonly refused: Stop | null;
}

/** Recovers and opens. The repo's lock is taken here, since the brief names the repo. */
async function openTaskAnew({ place, request, ports }: PassCall, locks: HeldLocks): Promise<Opened> {
  const session = await openRecovered(place, ports, locks);
  const wasLeft = session.findings.length > 0;
  carryOutNotes(session);
  const { refused, task } = await notingRefusal(session, null, () => openOrPutBack(session, request.config));
  if (wasLeft) tryCheckpoint(session, checkpointTask(task));
  requireWritable(place);
  const repo = await notingRefusal(session, task, () => findRepo(place, task.contract, request.repo, ports));
  locks.takeRepo(repo);
  ports.redactor.learn(readEnvFiles(repo));
  session.findings.push(...(await finishCommits(repo, place, ports)));
  return { session, task, repo, refused };
}

/** The newest pass, if it was never pushed and another machine's is on the branch instead. */
async function findLost({ session, task, repo }: Opened, { ports }: PassCall) {
  const { place, anchor, history } = session;
  const { checkpoint, sign } = task.config;
  if (!pushesIn(checkpoint) || ports.fence !== undefined) return null;
  return await findLostPass({ place, anchor, task: task.contract.id, pass: history.lastPass, repo, sign }, ports);
}

async function planAnew({ session, task, repo }: Opened, { request }: PassCall): Promise<Plan | Stop> {
  const known = session.journal.seq;
  const plan = await planPass(session, task, repo, request);
  const events = session.journal.events.slice(known);
  // The verdict of a pass writes the pages too, but a report of `done` must not outlive a person's edit until then.
  if (events.length > 0 && (plan.kind === "stopped" || events.some(({ type }) => type === "state_edited")))
    refreshPages(session, task);
  return plan.kind === "stopped" ? plan : { ...plan, document: letGoOn(session, plan.document) };
}

/**
 * Makes what the pass needs, and makes public that it begins. Programs run from here on, the checks first, so CONTROL.md
 * is watched: until the pass ends, or here if none begins.
 */
async function makePass({ session, task, repo }: Opened, plan: Plan, call: PassCall): Promise<HeldPass> {
  session.ports.live?.planned(beginOf(session, plan));
  const { pass, model, timeoutMs } = plan;
  const watch = watchControl(session, task, { pass, model: model?.name ?? null, timeoutMs });
  const watched = { session: watch.session, task, repo };
  try {
    const prepared = await keepingRefusal(watched, call, () => assemble(watch.session, plan, watch));
    if (prepared.kind === "stopped") {
      watch.finish();
      watch.journalObeyed();
      if (prepared.escalated !== null) refreshPages(watch.session, task);
      return await endStopped(watched, { ...prepared, aborted: prepared.aborted === true || watch.aborted() }, call);
    }
    await writeBack(watch.session, task, repo);
    const refused = await claimPass(prepared, call.ports);
    if (refused === null) return { ...watched, prepared };
    watch.stop();
    return { ...watched, prepared: unkeptStop(watch.session, task.contract.id, refused) };
  } catch (error) {
    watch.stop();
    throw error;
  }
}

/** Makes public why no pass begins, unless it is another machine's task by now. */
async function endStopped(
  { session, task, repo }: Omit<Opened, "refused">,
  stop: Stop,
  { ports }: PassCall,
): Promise<HeldPass> {
  if (stop.unkept === true) return { session, task, prepared: stop };
  const isNews = stop.held !== undefined && holdBack(session, stop.held, task);
  // A run that was killed right after its verdict may have left some of it.
  if (task.config.keep === "proof" && ports.fence === undefined) trimToProof(session, task.contract);
  await writeBack(session, task, repo);
  await commitLeft(session, task, repo, ports);
  const refused = await commitStop(session, task, repo, { ...stop, isNews }, ports);
  const { id } = task.contract;
  const kept = { ...stop, task: id, findings: session.findings };
  return { session, task, prepared: refused === null ? kept : unkeptStop(session, id, refused) };
}

/**
 * Makes the commit of a task that is done, if a run was killed between that verdict and its commit: what it holds is
 * compared with what was proven, as then. Nothing is committed once the code is another.
 */
async function commitLeft(
  session: HeldTask,
  contract: OpenTask,
  repo: string,
  ports: PassCall["ports"],
): Promise<void> {
  const { place, anchor, history } = session;
  const { lastVerdict: last } = history;
  if (history.phase !== "done" || !commitsIn(contract.config.checkpoint) || ports.fence !== undefined) return;
  if (!isProven(last) || last.matrix?.delivered === undefined || last.proof.undelivered !== undefined) return;
  const { id } = contract.contract;
  const known = await listCommits(repo, id, 1, ports.env);
  const inTasks = repo === place.taskDir ? [] : await listCommits(place.taskDir, id, 1, ports.env);
  if ([...known, ...inTasks].some(({ pass }) => pass === last.pass)) return;
  // A squash drops the words of the pass's commit, and keeps its journal; but a person may have committed that alone.
  const git = findGitPlace(place.taskDir);
  const journal = git && (await readBlob(git, `HEAD:${relative(git.top, place.journal)}`, ports.env));
  const isHeld = journal?.includes(last.record_sha256) === true;
  if (isHeld && !(await isLeft(session, repo, ports))) return;
  const { fingerprint } = await readCode(repo, place, "model");
  const code = { session, anchor, contract, repo, fingerprint, changedNow: [] };
  const { handed, told } = await findHandover(code, loadWatch(session));
  if (told.delivered?.all !== last.matrix.delivered.all) {
    if (isHeld) return;
    const message = `HEAD has no commit of pass ${last.pass}, and the code is no longer what was proven`;
    const fix = "commit it yourself if no other commit holds it, or reopen the task: it is proven again then";
    session.findings.push(warningFinding("TP_UNFINISHED", message, { file: repo, fix }));
    return;
  }
  const changedPaths = readPassPaths(place, last).map((path) => ({ path, change: "changed" }));
  const kept = { session, contract, repo, git: { ignored: null } };
  await commitVerdict(kept, last, { changedPaths, fingerprint, handed }, ports);
}

/** Whether HEAD lacks something of what the passes changed. */
async function isLeft({ place, journal }: HeldTask, repo: string, ports: PassCall["ports"]): Promise<boolean> {
  const git = findGitPlace(repo);
  const changed = new Set(git === null ? [] : await listChanged(git, repo, ports.env));
  return pathsOfPasses(place, journal.events).some((path) => changed.has(path));
}
