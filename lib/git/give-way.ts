import { type Network, pushCall } from "./network.ts";
import { readBlob } from "./objects.ts";
import type { PushTarget } from "./push-target.ts";
import { type RebaseRequest, rebaseOwnCommits } from "./rebase.ts";
import { runGit } from "./run-git.ts";
import { someOf } from "./swap-ref.ts";

/** Detects passes of a task elsewhere: its journal only grows. */
export interface Fence {
  /** The `Task-Phase-Task` trailer of its commits. */
  readonly task: string;
  readonly journal: string;
  /** Keeps the lost commit, here and in the remote: `refs/…`, and the commit's name behind it. */
  readonly lostRef: string;
}

export interface BranchPush extends Pick<RebaseRequest, "place" | "settings" | "signer" | "env"> {
  readonly target: PushTarget;
  readonly network: Network;
  /** Null: the repository holds no task. */
  readonly fence: Fence | null;
}

export interface LostPush {
  readonly ref: string;
  readonly isKeptThere: boolean;
  /** What blocks moving the branch onto theirs; null if it moved. */
  readonly inTheWay: string | null;
}

/** Whether the remote branch's journal of the task neither continues ours nor leads to it. */
export async function standsElsewhere(push: BranchPush, head: string, theirs: string): Promise<boolean> {
  const { place, fence, env } = push;
  if (fence === null) return false;
  const [own, other] = [
    await readBlob(place, `${head}:${fence.journal}`, env),
    await readBlob(place, `${theirs}:${fence.journal}`, env),
  ];
  if (own === null || other === null) return false;
  const length = Math.min(own.length, other.length);
  return !own.subarray(0, length).equals(other.subarray(0, length));
}

/**
 * Keeps the lost commit under its ref, here and in the remote, and puts the branch's other commits on top of theirs.
 * Uncommitted work stays; if it is in the way, so does the branch. Throws TP_GIT.
 */
export async function giveWay(push: BranchPush, head: string, theirs: string): Promise<LostPush> {
  const { place, env, fence, target, network } = push;
  if (fence === null) throw new Error("only the push of a task gives way");
  const git = (args: readonly string[]) => runGit(place, args, { env });
  // Stable over attempts while the branch cannot move.
  const ref = `${fence.lostRef}${head.slice(0, 12)}`;
  await git(["update-ref", "-m", "superseded", ref, head]);
  const kept = await network.call(pushCall(target.url, head, ref));
  const rebased = await rebaseOwnCommits({ ...push, head, theirs, drop: fence.task, unwelcome: () => [] });
  const isMoved = rebased.kind === "rebased";
  if (isMoved && target.tracking !== null) await git(["update-ref", "-m", "fetch", target.tracking, theirs]);
  const refused = isMoved || rebased.kind === "refused" ? null : `both sides changed ${someOf(rebased.paths)}`;
  return { ref, isKeptThere: kept.exitCode === 0, inTheWay: rebased.kind === "refused" ? rebased.why : refused };
}
