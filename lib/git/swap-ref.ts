import { fetchCall, type Network, pushCall } from "./network.ts";
import { readPushAnswer, renderEnd } from "./push-answer.ts";

export interface RefSwap {
  readonly network: Network;
  readonly url: string;
  readonly ref: string;
  /** The ref's present commit; null: it must not exist. */
  readonly expected: string | null;
  readonly commit: string;
  /** Waits, less if a signal comes; false if there is no time left. */
  readonly wait: (ms: number) => Promise<boolean>;
}

export type SwapEnd =
  | { readonly kind: "swapped" }
  /** The ref is at a commit that does not descend from this one. */
  | { readonly kind: "lost"; readonly theirs: string | null }
  | { readonly kind: "refused"; readonly why: string }
  /** Unknown; an unmoved ref may still be pushed later. */
  | { readonly kind: "unreachable"; readonly why: string };

const firstWaitMs = 200;
const longestWaitMs = 15_000;
/** A lock of the ref is released in a moment. */
const mostRefusals = 2;

/**
 * Pushes with `--force-with-lease=REF:EXPECTED` and believes only the ref itself: a push may report a fault though it
 * was taken, and some hosts report success though it was not. Asks again while unknown, with doubling pauses, as long
 * as `wait` allows.
 */
export async function swapRef(swap: RefSwap): Promise<SwapEnd> {
  let refusals = 0;
  for (let pause = firstWaitMs; ; pause = Math.min(longestWaitMs, pause * 2)) {
    const answer = readPushAnswer(await swap.network.call(swapCall(swap)));
    const there = await readRemoteRef(swap.network, swap.url, swap.ref);
    if (there.kind === "ref") {
      if (there.commit === swap.commit) return { kind: "swapped" };
      if (there.commit !== swap.expected) {
        const isIn = there.commit !== null && (await goesBackTo(swap, there.commit));
        if (isIn === true) return { kind: "swapped" };
        if (isIn === false) return { kind: "lost", theirs: there.commit };
      } else if (answer.kind === "refused") {
        refusals += 1;
        if (refusals >= mostRefusals) return answer;
      }
    }
    if (await swap.wait(pause)) continue;
    const why = there.kind === "unknown" ? there.why : answer.kind === "unknown" ? answer.why : "the ref did not move";
    return answer.kind === "refused" ? answer : { kind: "unreachable", why };
  }
}

function swapCall({ url, ref, expected, commit }: RefSwap): readonly string[] {
  const [push = "", ...rest] = pushCall(url, commit, ref);
  return [push, `--force-with-lease=${ref}:${expected ?? ""}`, ...rest];
}

export type RemoteRef =
  | { readonly kind: "ref"; readonly commit: string | null }
  | { readonly kind: "unknown"; readonly why: string };

export async function readRemoteRef(network: Network, url: string, ref: string): Promise<RemoteRef> {
  const end = await network.call(["ls-remote", "--refs", "--upload-pack=git-upload-pack", "--", url, ref]);
  if (end.exitCode !== 0) return { kind: "unknown", why: renderEnd(end) };
  const line = end.stdout.split("\n").find((each) => each.endsWith(`\t${ref}`));
  return { kind: "ref", commit: line === undefined ? null : (line.split("\t")[0] ?? null) };
}

/** Null: the remote names no existing default branch. */
export type RemoteHead =
  | { readonly kind: "head"; readonly ref: string | null }
  | Extract<RemoteRef, { kind: "unknown" }>;

export async function readRemoteHead(network: Network, url: string): Promise<RemoteHead> {
  const end = await network.call(["ls-remote", "--symref", "--upload-pack=git-upload-pack", "--", url, "HEAD"]);
  if (end.exitCode !== 0) return { kind: "unknown", why: renderEnd(end) };
  return { kind: "head", ref: /^ref: (\S+)\tHEAD$/m.exec(end.stdout)?.[1] ?? null };
}

/** Null if the commit could not be fetched. */
async function goesBackTo({ network, url, ref, commit }: RefSwap, theirs: string): Promise<boolean | null> {
  if ((await network.call(["update-ref", "refs/heads/ours", commit])).exitCode !== 0) return null;
  if ((await network.call(fetchCall(url, [`+${ref}:refs/theirs`]))).exitCode !== 0) return null;
  const found = await network.call(["merge-base", "--is-ancestor", commit, theirs]);
  return found.exitCode === 0 ? true : found.exitCode === 1 ? false : null;
}
