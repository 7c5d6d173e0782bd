import { nameSome, shorten } from "../text/shorten.ts";
import { fetchCall, type Network, type NetworkEnd, pushCall } from "./network.ts";

export type PushAnswer =
  | { readonly kind: "pushed" }
  /** The ref moved, or is being changed right now. */
  | { readonly kind: "behind" }
  /** A rule or hook refuses; retrying does not help. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * Git's own words: `stale info`, `fetch first`, `non-fast-forward`, `already exists`, `incorrect old value provided`,
 * `reference already exists`; of concurrent pushes `failed to update ref` or `cannot lock ref 'X': is at A but expected
 * B`, from GitHub, GitLab, Gitea and Bitbucket too.
 */
const behind =
  /stale info|fetch first|non-fast-forward|needs force|already exists|incorrect old value|failed to update ref|cannot lock ref|unable to lock|failed to lock|reference is at|is at [0-9a-f]+ but expected|atomic push failed|ref updated by another/i;

/** Faults of the server rather than the push. */
const faulty =
  /internal (?:server )?error|fatal error in commit_refs|unpacker error|unable to (?:migrate|create temporary)|remote failed to report status|timed? ?out|temporarily|try again|service unavailable|missing necessary objects/i;

/**
 * Reads the end of `git push --porcelain` of one ref. A line `!\tFROM:TO\t[remote rejected] (WHY)` is a refusal unless
 * its words are known: hooks and rules write what they like (`pre-receive hook declined`, `push declined due to
 * repository rule violations`, `permission denied`).
 */
export function readPushAnswer(end: NetworkEnd): PushAnswer {
  if (end.exitCode === 0) return { kind: "pushed" };
  const status = /^!\t[^\t\n]*\t(.*)$/m.exec(end.stdout)?.[1];
  if (status === undefined) return { kind: "unknown", why: renderEnd(end) };
  if (behind.test(status)) return { kind: "behind" };
  const why = `${shorten(status, 120)} ${remoteWords(end)}`.trim();
  return faulty.test(status) || /\[remote failure\]/.test(status) ? { kind: "unknown", why } : { kind: "refused", why };
}

/** Why a call failed, in git's words without credentials. */
export function renderEnd(end: NetworkEnd): string {
  const said = end.said.split("\n").map((line) => line.trim());
  const lines = said.filter((line) => line !== "" && !/^(?:To |hint: |warning: redirecting)/.test(line));
  return lines.length === 0 || end.said === ""
    ? `git ended with ${end.exitCode ?? "a signal"}`
    : shorten(withoutUserInfo(lines.join("; ").replaceAll(":; ", ": ")), 300);
}

function remoteWords(end: NetworkEnd): string {
  const words = end.said.split("\n").flatMap((line) => /^remote: (.*\S)\s*$/.exec(line)?.[1] ?? []);
  return words.length === 0 ? "" : `(${shorten(withoutUserInfo(words.join("; ")), 200)})`;
}

function withoutUserInfo(text: string): string {
  return text.replace(/([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/\s@]*@/g, "$1");
}

export function someOf(paths: readonly string[]): string {
  return nameSome(paths, 5, 80);
}

export interface RefSwap {
  readonly network: Network;
  readonly url: string;
  readonly ref: string;
  /** The ref's present commit; null: it must not exist. */
  readonly expected: string | null;
  readonly commit: string;
  /** One of `receivers`; absent: as for a remote. */
  readonly receiver?: string;
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

/** How a ref of some repository is moved and looked at. */
interface RefHost {
  push(): Promise<PushAnswer>;
  read(): Promise<RemoteRef>;
  /** Whether the ref's other commit has that of the swap behind it; null: that is not known. */
  contains(theirs: string): Promise<boolean | null>;
}

/**
 * Pushes with `--force-with-lease=REF:EXPECTED` and believes only the ref itself: a push may report a fault though it
 * was taken, and some hosts report success though it was not. Asks again while unknown, with doubling pauses, as long
 * as `wait` allows.
 */
export async function swapRef(swap: RefSwap): Promise<SwapEnd> {
  const host: RefHost = {
    push: async () => readPushAnswer(await swap.network.call(swapCall(swap))),
    read: () => readRemoteRef(swap.network, swap.url, swap.ref),
    contains: (theirs) => goesBackTo(swap, theirs),
  };
  return await swapWith(host, swap);
}

export async function swapWith(
  host: RefHost,
  { expected, commit, wait }: Pick<RefSwap, "expected" | "commit" | "wait">,
): Promise<SwapEnd> {
  let refusals = 0;
  for (let pause = firstWaitMs; ; pause = Math.min(longestWaitMs, pause * 2)) {
    const answer = await host.push();
    const there = await host.read();
    if (there.kind === "ref") {
      if (there.commit === commit) return { kind: "swapped" };
      if (there.commit !== expected) {
        const isIn = there.commit !== null && (await host.contains(there.commit));
        if (isIn === true) return { kind: "swapped" };
        if (isIn === false) return { kind: "lost", theirs: there.commit };
      } else if (answer.kind === "refused") {
        refusals += 1;
        if (refusals >= mostRefusals) return answer;
      }
    }
    if (await wait(pause)) continue;
    const why = there.kind === "unknown" ? there.why : answer.kind === "unknown" ? answer.why : "the ref did not move";
    return answer.kind === "refused" ? answer : { kind: "unreachable", why };
  }
}

function swapCall({ url, ref, expected, commit, receiver }: RefSwap): readonly string[] {
  const [push = "", ...rest] = pushCall(url, commit, ref, receiver);
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
