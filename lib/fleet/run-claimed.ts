import { dirname } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import { locateTask } from "../anchor/task-place.ts";
import { requireTrustedRemote } from "../config/trust.ts";
import { listChanged } from "../git/dirty.ts";
import { withoutCredentials } from "../git/push-target.ts";
import { taskRefOf } from "../git/task-ref.ts";
import { runPass } from "../pass/run-pass.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding, type Finding } from "../report/finding.ts";
import { tryLock } from "../store/lock.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import type { PassReport } from "../task/request.ts";
import { shorten } from "../text/shorten.ts";
import type { ClaimContext, ClaimRequest } from "./claim-context.ts";
import { type ClaimNote, writeNote } from "./claim-note.ts";
import { codeFence } from "./code-fence.ts";
import { dropClone, forgetPass } from "./drop-clone.ts";
import { createFence, type TaskFence } from "./fence.ts";
import { fetchBranches } from "./fetch-branches.ts";
import { findMet } from "./met-dependencies.ts";
import { openBranch } from "./open-branch.ts";
import { noteOfCode, openCode, requireOwnRepo } from "./open-code.ts";
import { cacheHome, claimPlace } from "./places.ts";
import { prepareClone } from "./prepare-clone.ts";
import { refuseOpenClaim } from "./refuse-open-claim.ts";
import { seeFetched } from "./see-branch.ts";
import { settleLeft } from "./settle-left.ts";
import { tellAttempts, tellingFence } from "./telling-fence.ts";
import { waitUntil } from "./wait-until.ts";

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
  const context = { request, place, ports, wait: waitUntil(ports) };
  try {
    const left = await settleLeft(context);
    return await runFetched(context, left.attempt, left.findings);
  } finally {
    lock.release();
  }
}

async function runFetched(context: ClaimContext, leftBy: string | null, told: readonly Finding[]): Promise<PassReport> {
  const { request, place, ports } = context;
  let taskDir: string | null = null;
  let fence: TaskFence | null = null;
  try {
    const mirror = await fetchBranches(context);
    const { branch, code } = await openCode(context, await openBranch(context, mirror));
    const { clone, ref, tip, base, fleet, layout } = branch;
    const work = code?.clone ?? clone;
    taskDir = branch.taskDir;
    await forgetPass(taskDir, ports);
    const task = locateTask(taskDir, ports.cwd);
    await seeFetched(context, branch, task);
    await refuseOpenClaim(context, branch, task, leftBy);
    await tellAttempts(context, taskDir);
    for (const command of fleet?.prepare ?? []) await prepareClone(command, work.git.top, ports);
    requireOwnRepo(context, taskDir, work);
    const note: ClaimNote = {
      version: 1,
      task: request.task,
      ref,
      task_dir: taskDir,
      repo: work.git.top,
      attempt: request.runner.attempt,
      pass: 0,
      tip,
      commit: null,
      kind: null,
      leftovers: await listChanged(clone.git, clone.git.top, ports.env),
      code: code === null ? null : await noteOfCode(code, clone, ports.env),
    };
    writeNote(place.note, note);
    const needed = await findMet(context, mirror, branch);
    const made = createFence({
      ...{ clone, place, ref, begins: layout.base?.ref ?? ref, note, base, ...needed },
      code: note.code === null ? null : codeFence(context, { git: clone.git, code: work, note: note.code }),
      ...{ url: request.url, runner: request.runner, env: ports.env, wait: context.wait, now: ports.now },
    });
    fence = tellingFence(made, context);
    const report = await runPass({ ...request.pass, taskDir }, { ...ports, fence });
    return {
      ...report,
      findings: [...told, ...(code?.findings ?? []), ...report.findings, ...fence.told],
      evidence: null,
    };
  } finally {
    const left = fence?.left() ?? { kind: "nothing" };
    if (left.kind !== "owed") await dropClone(context, taskDir, left.kind === "lost" ? left.to : null);
  }
}

function busy({ task }: ClaimRequest): TaskPhaseError {
  const message = `another run on this machine works on ${shorten(task)} of this remote`;
  return new TaskPhaseError("locked", [errorFinding("TP_CLAIMED", message, { fix: "try again when it has ended" })]);
}
