import { readTaskJournal } from "../anchor/task-journal.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { findTrailer } from "../git/log.ts";
import { withNetwork } from "../git/network.ts";
import { readRemoteRef } from "../git/swap-ref.ts";
import { shownId } from "../keep/commit-message.ts";
import { findClaim, isHeld } from "../machine/claim.ts";
import type { ClaimContext } from "./claim-context.ts";
import { HeldClaimError } from "./held-claim.ts";
import { lostRef } from "./lost-work.ts";
import type { OpenBranch } from "./open-branch.ts";
import { readSeen } from "./seen-branch.ts";

/**
 * Throws a locked error as long as somebody may still work on the pass that is open in the journal. `leftBy`: the attempt
 * of the run on this machine whose work was settled before.
 */
export async function refuseOpenClaim(
  context: ClaimContext,
  branch: OpenBranch,
  { journal }: TaskPlace,
  leftBy: string | null,
): Promise<void> {
  const { request, place, ports } = context;
  const open = findClaim(readTaskJournal(journal)?.events ?? []);
  // A pass without a runner was begun by a run that claims nothing: its machine pushed it when it was over.
  if (open === null || open.runner === null || request.takeover || !isHeld(open, ports.now())) return;
  const { attempt } = open.runner;
  // Whoever holds this machine's lock of the task knows that none of its own runs is under way.
  if (attempt === leftBy || attempt === readSeen(place.seen)?.attempt) return;
  if (request.isDead?.(attempt) === true || (await isLost(context, branch, open.pass, attempt))) return;
  throw new HeldClaimError(request.task, open, open.runner);
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
