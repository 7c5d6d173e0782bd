import { join, relative } from "node:path";
import { findTrailer } from "../git/log.ts";
import { withNetwork } from "../git/network.ts";
import { findCommit } from "../git/revision.ts";
import { readRemoteRef } from "../git/swap-ref.ts";
import { listWorkingTrees } from "../git/worktrees.ts";
import { shownId } from "../pass/checkpoint/commit-message.ts";
import { findClaim, isHeld } from "../rules/claim.ts";
import { isLocked } from "../store/lock.ts";
import { readTaskJournal } from "../task/records/task-journal.ts";
import { placeIn, type TaskPlace } from "../task/records/task-place.ts";
import { taskLockPath } from "../task/task-lock.ts";
import { type ClaimContext, HeldClaimError } from "./claim-context.ts";
import { readEnded } from "./claim-note.ts";
import type { OpenBranch } from "./open-branch.ts";
import { lostRef } from "./push-refusal.ts";
import { readSeen, seenRef } from "./see-branch.ts";

/** Throws a locked error as long as somebody may still work on the pass that is open in the journal. */
export async function refuseOpenClaim(
  context: ClaimContext,
  branch: OpenBranch,
  { journal }: TaskPlace,
): Promise<void> {
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
