import { dirname, join, relative } from "node:path";
import { listChanged } from "../git/head.ts";
import { findTrailer } from "../git/log.ts";
import { withNetwork } from "../git/network.ts";
import { withoutCredentials } from "../git/push-target.ts";
import { findCommit } from "../git/revision.ts";
import { readRemoteRef } from "../git/swap-ref.ts";
import { taskRefOf } from "../git/task-branches.ts";
import { listWorkingTrees } from "../git/worktrees.ts";
import { shownId } from "../pass/checkpoint/commit-message.ts";
import { runPass } from "../pass/run-pass.ts";
import { bootId } from "../process/identity.ts";
import { doubtControl, type Taken } from "../queue/views/taken-words.ts";
import { findClaim, isHeld } from "../rules/claim.ts";
import { controlFile } from "../rules/guarded-files.ts";
import { isLocked, tryLock } from "../store/lock.ts";
import { cacheHome, openPrivateFolder } from "../store/state-home.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { readTaskJournal } from "../task/records/task-journal.ts";
import { locateTask, placeIn, type TaskPlace } from "../task/records/task-place.ts";
import type { PassReport } from "../task/request.ts";
import { taskLockPath } from "../task/task-lock.ts";
import { requireTrustedRemote } from "../task/trust.ts";
import { lockedError, type TaskPhaseError } from "../text/errors.ts";
import type { Finding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import { type Carried, saveCarried } from "./carry-dependencies.ts";
import { type ClaimContext, type ClaimRequest, fetchBranches, HeldClaimError, waitUntil } from "./claim-context.ts";
import { type ClaimNote, readEnded, writeNote } from "./claim-note.ts";
import { claimPlace } from "./claim-place.ts";
import { dropClone, forgetPass } from "./clone.ts";
import { codeFence } from "./code-fence.ts";
import { createFence, reportAttempts, type TaskFence, tellingFence } from "./fence.ts";
import { type FollowedFile, followFile } from "./follow-control.ts";
import { type LocalWork, mirrorOf } from "./local-work.ts";
import { findMet } from "./met-dependencies.ts";
import { type OpenBranch, openBranch } from "./open-branch.ts";
import { codeNote, openCode, requireOwnRepo } from "./open-code.ts";
import { type LocalBranch, openLocalBranch } from "./open-local.ts";
import { findMissingSubmodules, prepareClone } from "./prepare-clone.ts";
import { pushOnward } from "./push-onward.ts";
import { lostRef } from "./push-refusal.ts";
import { type OwnRepository, readSeen, seeFetched, seenRef } from "./see-branch.ts";
import { settleLeft } from "./settle-left.ts";

/**
 * One pass of one task whose branch is in a remote, in a working tree of its own: fetches, claims the pass by a push,
 * does it, and makes its verdict the task's by another push. Several machines may call this for the same task at the
 * same time; all but one end with 75, and nothing was decided there. Throws as `runPass`, and TaskPhaseErrors for a
 * remote that cannot be reached, a claim that somebody else holds, and what an earlier run of this machine left.
 */
export async function runClaimed(request: ClaimRequest, ports: PassPorts): Promise<PassReport> {
  return await inClone(request, ports, async ({ taskDir, fence, findings }) => {
    const report = await runPass({ ...request.pass, taskDir }, { ...ports, fence });
    // The clone is gone by the time that anybody reads this.
    const gone = (one: PassReport): PassReport => ({ ...one, evidence: { ...one.evidence, path: null } });
    const details = { ...report.details, moves: report.details.moves.map(gone) };
    return gone({ ...report, details, findings: [...findings, ...report.findings, ...fence.told] });
  });
}

/** The working tree of a task, as its branch has it, until it is dropped. */
export interface OpenClone {
  readonly taskDir: string;
  readonly repo: string;
  readonly fence: TaskFence;
  /** What happened on the way here. */
  readonly findings: readonly Finding[];
}

/**
 * Fetches, settles what an earlier run left, and lets `work` use a working tree of the task's branch. Throws as
 * `runClaimed`.
 */
export async function inClone<Value>(
  request: ClaimRequest,
  ports: PassPorts,
  work: (clone: OpenClone) => Promise<Value>,
): Promise<Value> {
  const { local } = request;
  if (local === null) requireTrustedRemote(withoutCredentials(request.url), ports);
  const usual = claimPlace(cacheHome(ports.env, ports.home), withoutCredentials(request.url), request.task);
  const place = local === null ? usual : { ...usual, mirror: local.tree.commonDir };
  // Before anything is made: an id that cannot be a branch could lead out of the folder too.
  taskRefOf(request.task);
  openPrivateFolder(dirname(place.lock));
  const lock = tryLock(place.lock);
  if (lock === null) throw busy(request);
  const context = { request, place, ports, wait: waitUntil(ports) };
  try {
    return await openClone(context, await settleLeft(context), work);
  } finally {
    lock.release();
  }
}

async function openClone<Value>(
  context: ClaimContext,
  told: readonly Finding[],
  work: (clone: OpenClone) => Promise<Value>,
): Promise<Value> {
  const { request, place, ports } = context;
  let taskDir: string | null = null;
  let fence: TaskFence | null = null;
  let control: FollowedFile | null = null;
  let carried: Carried | null = null;
  try {
    const { local } = request;
    const own = local === null ? null : await mirrorOf(local, ports.env);
    const mirror = own ?? (await fetchBranches(context));
    const opened = local === null || own === null ? null : await openLocalBranch(context, own, local);
    carried = opened?.carried ?? null;
    const { branch, code } = await openCode(context, opened ?? (await openBranch(context, mirror)));
    const { clone, ref, tip, base, fleet, layout } = branch;
    const { git } = code?.clone ?? clone;
    taskDir = branch.taskDir;
    await forgetPass(taskDir, ports);
    const task = locateTask(taskDir, ports.cwd);
    await seeFetched(context, branch, task);
    await refuseOpenClaim(context, branch, task);
    await reportAttempts(context, taskDir);
    for (const command of fleet?.prepare ?? []) await prepareClone(command, git.top, ports);
    const missing = local === null ? [] : await findMissingSubmodules(local.tree, git, ports.env);
    requireOwnRepo(context, taskDir, code?.clone ?? clone);
    const note: ClaimNote = {
      version: 1,
      task: request.task,
      ref,
      task_dir: taskDir,
      repo: git.top,
      attempt: request.runner.attempt,
      pass: 0,
      boot: bootId(),
      tip,
      commit: null,
      kind: null,
      leftovers: await listChanged(clone.git, clone.git.top, ports.env),
      code: code === null ? null : await codeNote(code, clone, ports.env),
    };
    writeNote(place.note, note);
    const needed = await findMet(context, mirror, branch);
    const made = createFence({
      ...{ clone, place, ref, begins: layout.base?.ref ?? ref, note, base, ...needed },
      local: local === null || opened === null ? null : ownOf(context, local, opened, () => control),
      code:
        note.code === null ? null : codeFence(context, { git: clone.git, code: code?.clone ?? clone, note: note.code }),
      ...{ url: request.url, runner: request.runner, env: ports.env, wait: context.wait, now: ports.now },
    });
    fence = tellingFence(made, context);
    const findings = [...told, ...(opened?.told ?? []), ...(code?.findings ?? []), ...missing];
    if (opened !== null) control = followControl(opened, place.taken);
    return await work({ taskDir, repo: git.top, fence, findings });
  } finally {
    control?.stop();
    const left = fence?.left() ?? { kind: "nothing" };
    if (left.kind === "nothing" && carried !== null) saveCarried(place, carried);
    if (left.kind !== "owed") await dropClone(context, taskDir, left.kind === "lost" ? left.to : null);
  }
}

function ownOf(
  { place, ports }: ClaimContext,
  local: LocalWork,
  opened: LocalBranch,
  control: () => FollowedFile | null,
): OwnRepository {
  const { ref } = opened;
  return {
    tree: local.tree,
    objects: place.objects,
    holdingWords: async (act) => {
      const release = control()?.hold();
      try {
        return await act(takenBy(opened, control()));
      } finally {
        release?.();
      }
    },
    onward: async (commit) => await pushOnward(local, place, { ref, commit }, ports.env),
  };
}

function followControl({ taskDir, treeDir, taken }: LocalBranch, note: string): FollowedFile {
  const doubt = () => doubtControl(note, taken);
  return followFile(join(treeDir, controlFile), join(taskDir, controlFile), taken.files[controlFile] ?? null, doubt);
}

/** What a person wrote in CONTROL.md during the pass was taken along too. */
function takenBy({ taken }: LocalBranch, control: FollowedFile | null): Taken {
  const text = control?.text() ?? null;
  return text === null ? taken : { ...taken, files: { ...taken.files, [controlFile]: text } };
}

function busy({ task }: ClaimRequest): TaskPhaseError {
  const message = `another run on this machine works on ${shorten(task)} of this remote`;
  return lockedError("TP_CLAIMED", message, { fix: "try again when it has ended" });
}

/** Throws a locked error as long as somebody may still work on the pass that is open in the journal. */
async function refuseOpenClaim(context: ClaimContext, branch: OpenBranch, { journal }: TaskPlace): Promise<void> {
  const { request, place, ports } = context;
  const open = findClaim(readTaskJournal(journal)?.events ?? []);
  // A pass without a runner was begun by a run that claims nothing: its machine pushed it when it was over.
  if (open === null || open.runner === null || request.takeover || !isHeld(open, ports.now())) return;
  const { attempt } = open.runner;
  // The holder of this machine's lock of the task knows that none of its own runs is under way.
  if (attempt === readSeen(place.seen)?.attempt || readEnded(place.ended).includes(attempt)) return;
  if (await isOwnAndOver(context, branch)) return;
  if (request.isDead?.(attempt) === true || (await isLost(context, branch, open.pass, attempt))) return;
  throw new HeldClaimError(request.task, open, open.runner);
}

/**
 * Whether a run in this repository made the claim, which moves that ref with the branch, and is over: a person cleared the cache
 * folder or moved the repo. The caller has the lock of its own working tree; one in another may have another cache folder.
 */
async function isOwnAndOver({ request: { local, task }, ports }: ClaimContext, { tip }: OpenBranch): Promise<boolean> {
  if (local === null || (await findCommit(local.tree, seenRef(task), ports.env)) !== tip) return false;
  const { tree, tasksRoot, folder } = local;
  const inside = relative(tree.top, tasksRoot);
  const others = listWorkingTrees(tree).filter((top) => top !== tree.top);
  return !others.some((top) => isLocked(taskLockPath(placeIn(join(top, inside), folder))));
}

/**
 * Whether the run has ended and its verdict can never arrive: the branch has moved on from the claim, and the work is
 * kept as lost. As long as the branch is at the claim itself, that ref may be the copy of a verdict which the remote
 * refused, and which is pushed once a person allows it.
 */
async function isLost(
  { request, place, ports }: ClaimContext,
  { clone, ref, tip }: OpenBranch,
  pass: number,
  attempt: string,
): Promise<boolean> {
  const { git, settings } = clone;
  const { env, signal } = ports;
  const { url } = request;
  if (tip === null) return false;
  const claim = { commit: tip, task: shownId(request.task), name: "Task-Phase-Claim", alone: true };
  if ((await findTrailer(git, claim, env)) !== null) return false;
  const there = await withNetwork({ place: git, settings, scratch: place.scratch, env, signal, url }, (network) =>
    readRemoteRef(network, url, lostRef(ref, pass, attempt)),
  );
  return there.kind === "ref" && there.commit !== null;
}
