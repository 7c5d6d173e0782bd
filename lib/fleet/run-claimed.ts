import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PassPorts } from "../anchor/ports.ts";
import { readTaskJournal } from "../anchor/task-journal.ts";
import { locateTask, type TaskPlace } from "../anchor/task-place.ts";
import { loadConfig } from "../config/load-config.ts";
import { requireTrustedRemote } from "../config/trust.ts";
import { listChanged } from "../git/dirty.ts";
import { openNetwork } from "../git/network.ts";
import { showUrl, withoutCredentials } from "../git/push-target.ts";
import { readSettings } from "../git/settings.ts";
import { readRemoteHead } from "../git/swap-ref.ts";
import { taskRefOf } from "../git/task-ref.ts";
import { findClaim, isHeld } from "../machine/claim.ts";
import { runPass } from "../pass/run-pass.ts";
import { TaskPhaseError, usageError } from "../report/errors.ts";
import { errorFinding, type Finding } from "../report/finding.ts";
import { tryLock } from "../store/lock.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import type { PassReport } from "../task/request.ts";
import { shorten } from "../text/shorten.ts";
import { type ClaimContext, type ClaimRequest, unreachable } from "./claim-context.ts";
import { type ClaimNote, writeNote } from "./claim-note.ts";
import { makeClone, type WorkClone } from "./clone.ts";
import { dropClone, forgetPass } from "./drop-clone.ts";
import { createFence } from "./fence.ts";
import { findTaskFolder } from "./find-task.ts";
import { fetchMirror, type Mirror } from "./mirror.ts";
import { cacheHome, claimPlace } from "./places.ts";
import { prepareClone } from "./prepare-clone.ts";
import { refuseRewound } from "./refuse-rewound.ts";
import { settleLeft } from "./settle-left.ts";

/** An unreachable remote is asked again for so long before anything has cost money. */
const patienceMs = 60_000;

/**
 * One pass of one task whose branch is in a remote, in a working tree of its own: fetches, claims the pass by a push,
 * does it, and makes its verdict the task's by another push. Several machines may call this for the same task at the
 * same time; all but one end with 75, and nothing was decided there. Throws as `runPass`, and TaskPhaseErrors for a
 * remote that cannot be reached, a claim that somebody else holds, and what an earlier run of this machine left.
 */
export async function runClaimed(request: ClaimRequest, ports: PassPorts): Promise<PassReport> {
  requireTrustedRemote(withoutCredentials(request.url), ports);
  const place = claimPlace(cacheHome(ports.env, ports.home), withoutCredentials(request.url), request.task);
  // Before anything is made: an id that cannot be a branch could lead out of the folder too.
  taskRefOf(request.task);
  openPrivateFolder(dirname(place.lock));
  const lock = tryLock(place.lock);
  if (lock === null) throw busy(request);
  const context = { request, place, ports, wait: waiter(ports) };
  try {
    const left = await settleLeft(context);
    return await runFetched(context, left.attempt, left.findings);
  } finally {
    lock.release();
  }
}

async function runFetched(
  context: ClaimContext,
  ownAttempt: string | null,
  told: readonly Finding[],
): Promise<PassReport> {
  const { request, place, ports } = context;
  const mirror = await fetchBranches(context);
  const ref = taskRefOf(request.task);
  const tip = mirror.commitOf(ref);
  const base = tip ?? (await findBase(context, mirror));
  const clone = await makeClone({ ...context.request, ...ports, folder: place.clone, mirror, ref, commit: base });
  const taskDir = await findTaskFolder(clone.git, request.task, ports.env);
  await forgetPass(taskDir, ports);
  const task = locateTask(taskDir, ports.cwd);
  if (!request.takeover) await refuseRewound(clone.git, task, mirror.formerCommitOf(ref), ports.env);
  refuseOpenClaim(context, task, ownAttempt);
  const leftovers = await readyClone(context, clone, taskDir);
  const note: ClaimNote = {
    version: 1,
    task: request.task,
    task_dir: taskDir,
    repo: clone.git.top,
    attempt: request.runner.attempt,
    pass: 0,
    tip,
    commit: null,
    kind: null,
    leftovers,
  };
  writeNote(place.note, note);
  const fence = createFence({
    ...{ clone, place, ref, note, base },
    ...{ url: request.url, runner: request.runner, env: ports.env, wait: context.wait, now: ports.now },
  });
  try {
    const report = await runPass({ ...request.pass, taskDir }, { ...ports, fence });
    return { ...report, findings: [...told, ...report.findings], evidence: null };
  } finally {
    if (!fence.owes()) await dropClone(context, taskDir);
  }
}

async function fetchBranches({ request, place, ports, wait }: ClaimContext): Promise<Mirror> {
  const until = new Date(ports.now().getTime() + patienceMs);
  const mirror = await fetchMirror({
    ...{ mirror: place.mirror, mirrorLock: place.mirrorLock, scratch: place.scratch },
    ...{ url: request.url, env: ports.env, signal: ports.signal },
    wait: (ms) => wait(ms, until),
  });
  if (typeof mirror !== "string") return mirror;
  throw unreachable(request, mirror);
}

/** Where a task begins that has no branch yet. */
async function findBase({ request, place, ports }: ClaimContext, mirror: Mirror): Promise<string> {
  const settings = await readSettings(mirror.place, ports.env);
  const network = openNetwork(mirror.place, settings, place.scratch, ports.env, ports.signal, request.url);
  try {
    const head = await readRemoteHead(network, request.url);
    if (head.kind === "unknown") throw unreachable(request, head.why);
    const commit = head.ref === null ? null : mirror.commitOf(head.ref);
    if (commit !== null) return commit;
    throw usageError("TP_REMOTE_EMPTY", `there is no branch for ${shorten(request.task)} to begin at`, {
      file: showUrl(request.url),
      fix: "push a branch with the task folder, and make it the default branch of the remote",
    });
  } finally {
    network.close();
  }
}

function refuseOpenClaim({ request, ports }: ClaimContext, { journal }: TaskPlace, ownAttempt: string | null): void {
  const open = findClaim(readTaskJournal(journal)?.events ?? []);
  // A pass without a runner was begun by a run that claims nothing: its machine pushed it when it was over.
  if (open === null || open.runner === null || request.takeover || open.runner.attempt === ownAttempt) return;
  if (!isHeld(open, ports.now())) return;
  const message = `pass ${open.pass} of ${request.task} is claimed by ${shorten(open.runner.worker, 60)} (${shorten(open.runner.attempt, 60)}) until ${open.until}`;
  const fix = "try again then; if that run is known to be dead: --takeover";
  throw new TaskPhaseError("locked", [errorFinding("TP_CLAIMED", message, { fix })]);
}

/** The paths that differ once the working tree is ready: no commit takes them. */
async function readyClone({ request, ports }: ClaimContext, clone: WorkClone, taskDir: string): Promise<string[]> {
  const { env, home, cwd } = ports;
  const { fleet } = loadConfig({ configFlag: request.pass.config, env, home, cwd, taskDir });
  for (const command of fleet?.prepare ?? []) await prepareClone(command, clone.git.top, ports);
  return await listChanged(clone.git, clone.git.top, env);
}

function waiter({ signal, now }: PassPorts): ClaimContext["wait"] {
  return async (ms, until) => {
    if (signal.aborted || now().getTime() + ms > until.getTime()) return false;
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  };
}

function busy({ task }: ClaimRequest): TaskPhaseError {
  const message = `another run on this machine works on ${shorten(task)} of this remote`;
  return new TaskPhaseError("locked", [errorFinding("TP_CLAIMED", message, { fix: "try again when it has ended" })]);
}
