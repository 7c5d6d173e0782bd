import { dirname, join } from "node:path";
import { listChanged } from "../git/head.ts";
import { withoutCredentials } from "../git/push-target.ts";
import { taskRefOf } from "../git/task-branches.ts";
import { runPass } from "../pass/run-pass.ts";
import { bootId } from "../process/identity.ts";
import { doubtControl, type Taken } from "../queue/views/taken-words.ts";
import { controlFile } from "../rules/guarded-files.ts";
import { tryLock } from "../store/lock.ts";
import { cacheHome, openPrivateFolder } from "../store/state-home.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { locateTask } from "../task/records/task-place.ts";
import type { PassReport } from "../task/request.ts";
import { requireTrustedRemote } from "../task/trust.ts";
import { diskError, hasCode, lockedError, type TaskPhaseError } from "../text/errors.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import { type Carried, saveCarried } from "./carry-dependencies.ts";
import { type ClaimContext, type ClaimRequest, fetchBranches, waitUntil } from "./claim-context.ts";
import { type ClaimNote, writeNote } from "./claim-note.ts";
import { claimPlace } from "./claim-place.ts";
import { dropClone, forgetPass } from "./clone.ts";
import { codeFence } from "./code-fence.ts";
import { createFence, reportAttempts, type TaskFence, tellingFence } from "./fence.ts";
import { type FollowedFile, followFile } from "./follow-control.ts";
import { refuseOpenClaim } from "./held-claim.ts";
import { type LocalWork, mirrorOf } from "./local-work.ts";
import { listLeft } from "./merge-both.ts";
import { findMet } from "./met-dependencies.ts";
import { openBranch } from "./open-branch.ts";
import { codeNote, openCode, requireOwnRepo } from "./open-code.ts";
import { type LocalBranch, openLocalBranch } from "./open-local.ts";
import { findMissingSubmodules, prepareClone } from "./prepare-clone.ts";
import { pushOnward } from "./push-onward.ts";
import { type OwnRepository, seeFetched } from "./see-branch.ts";
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
    const isTorn = (request.local?.merge ?? null) !== null || listLeft(git.top, taskDir).length > 0;
    const unprepared = await prepareAll(fleet?.prepare ?? [], git.top, isTorn, ports);
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
    const findings = [...told, ...(opened?.told ?? []), ...(code?.findings ?? []), ...unprepared, ...missing];
    if (opened !== null) control = followControl(opened, place.taken);
    return await work({ taskDir, repo: git.top, fence, findings }).catch((error) => throwOfClone(error, place.clone));
  } finally {
    control?.stop();
    const left = fence?.left() ?? { kind: "nothing" };
    if (left.kind === "nothing" && carried !== null) saveCarried(place, carried);
    if (left.kind !== "owed") await dropClone(context, taskDir, left.kind === "lost" ? left.to : null);
  }
}

/** A list of dependencies may have marks of a conflict (`isTorn`), which the task is there to repair: it begins without them. */
async function prepareAll(
  commands: readonly (readonly string[])[],
  top: string,
  isTorn: boolean,
  ports: PassPorts,
): Promise<Finding[]> {
  try {
    for (const command of commands) await prepareClone(command, top, ports);
    return [];
  } catch (error) {
    if (!isTorn || !hasCode(error, "TP_PREPARE")) throw error;
    const why = `${error.message}; the repo has a conflict that is to be repaired first`;
    return [warningFinding("TP_PREPARE", why)];
  }
}

/** What a pass did to the git of its clone concerns neither the person's own git nor the next task. */
function throwOfClone(error: unknown, clone: string): never {
  const [first] = hasCode(error, "TP_GIT") ? error.findings : [];
  if (first?.file?.startsWith(clone) !== true) throw error;
  const message = `git no longer works in the clone of this pass: ${first.message}`;
  const fix = "run it again: the pass is closed as interrupted, and the next one gets a new clone";
  throw diskError("TP_CLONE_DAMAGED", message, { fix }, error);
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
