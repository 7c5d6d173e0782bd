import { type Network, pushCall } from "./network.ts";
import type { GitPlace } from "./place.ts";
import type { PushTarget } from "./push-target.ts";
import { someOf } from "./push-words.ts";
import { rebaseOwnCommits } from "./rebase.ts";
import { runGit } from "./run-git.ts";
import type { GitSettings } from "./settings.ts";
import type { FindSigner } from "./ssh-keygen.ts";

/** What tells whether a pass of a task was done elsewhere as well: its journal only grows. */
export interface Fence {
  /** As the trailer `Task-Phase-Task` of its commits says it. */
  readonly task: string;
  /** The journal, from the top of the working tree. */
  readonly journal: string;
  /** Where the commit goes that lost, in this repository and in the remote: `refs/…`, and the commit's name behind it. */
  readonly lostRef: string;
}

/** A push of a branch, once it is known where it goes. */
export interface BranchPush {
  readonly place: GitPlace;
  readonly settings: GitSettings;
  readonly target: PushTarget;
  readonly network: Network;
  /** The task whose passes must not be there twice; null: none is in this repository. */
  readonly fence: Fence | null;
  /** As in a request to rebase. */
  readonly signer?: FindSigner | null;
  readonly env: NodeJS.ProcessEnv;
}

/** A push that came after another pass of the same task. */
export interface LostPush {
  readonly ref: string;
  /** The remote has that ref as well. */
  readonly isKeptThere: boolean;
  /** What keeps the branch from going on from theirs; null: it does. */
  readonly inTheWay: string | null;
}

/** Whether the remote's branch has another journal of the task: one that neither goes on from ours nor leads to it. */
export async function standsElsewhere(push: BranchPush, head: string, theirs: string): Promise<boolean> {
  if (push.fence === null) return false;
  const [own, other] = [await readBlob(push, head), await readBlob(push, theirs)];
  if (own === null || other === null) return false;
  const length = Math.min(own.length, other.length);
  return !own.subarray(0, length).equals(other.subarray(0, length));
}

async function readBlob({ place, env, fence }: BranchPush, commit: string): Promise<Buffer | null> {
  const args = ["cat-file", "blob", `${commit}:${fence?.journal ?? ""}`];
  const { exitCode, stdout } = await runGit(place, args, { cwd: place.top, env, accept: [0, 128] });
  return exitCode === 0 ? stdout : null;
}

/**
 * Keeps the commit that lost under its ref, here and in the remote, and puts what this branch has beside the passes of
 * the task on top of theirs. What is not committed stays; where it is in the way, the branch stays too. Throws TP_GIT.
 */
export async function giveWay(push: BranchPush, head: string, theirs: string): Promise<LostPush> {
  const { place, env, fence, target, network } = push;
  if (fence === null) throw new Error("only the push of a task gives way");
  const git = (args: readonly string[]) => runGit(place, args, { cwd: place.top, env });
  // The same name at the next attempt, where the branch could not move at once.
  const ref = `${fence.lostRef}${head.slice(0, 12)}`;
  await git(["update-ref", "-m", "superseded", ref, head]);
  const kept = await network.call(pushCall(target.url, head, ref));
  const rebased = await rebaseOwnCommits({ ...push, head, theirs, drop: fence.task, unwelcome: () => [] });
  const isMoved = rebased.kind === "rebased";
  if (isMoved && target.tracking !== null) await git(["update-ref", "-m", "fetch", target.tracking, theirs]);
  return {
    ref,
    isKeptThere: kept.exitCode === 0,
    inTheWay: isMoved ? null : describe(rebased),
  };
}

function describe(refused: Exclude<Awaited<ReturnType<typeof rebaseOwnCommits>>, { kind: "rebased" }>): string {
  return refused.kind === "refused" ? refused.why : `both sides changed ${someOf(refused.paths)}`;
}
