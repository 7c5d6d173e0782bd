import { shorten } from "../text/shorten.ts";
import type { NetworkEnd } from "./network.ts";
import { remoteWords, renderEnd } from "./push-words.ts";

/** The remote's answer to a push of one ref, as its words say it. */
export type PushAnswer =
  | { readonly kind: "pushed" }
  /** The ref is not what the push expected, or somebody else is changing it right now. */
  | { readonly kind: "behind" }
  /** A rule or a hook of the remote does not want it; asking again would come to the same. */
  | { readonly kind: "refused"; readonly why: string }
  /** Nobody knows: no connection, an end without a report, a fault of the server. */
  | { readonly kind: "unknown"; readonly why: string };

/**
 * Git itself: `stale info`, `fetch first`, `non-fast-forward`, `already exists`, `incorrect old value provided`,
 * `reference already exists`. Two that push in the same moment see `failed to update ref` or `cannot lock ref 'X': is at
 * A but expected B`, from git as from GitHub, GitLab, Gitea and Bitbucket, whose storage is git's own.
 */
const behind =
  /stale info|fetch first|non-fast-forward|needs force|already exists|incorrect old value|failed to update ref|cannot lock ref|unable to lock|failed to lock|reference is at|is at [0-9a-f]+ but expected|atomic push failed|ref updated by another/i;

/** What a server says of itself, not of the push. */
const faulty =
  /internal (?:server )?error|fatal error in commit_refs|unpacker error|unable to (?:migrate|create temporary)|remote failed to report status|timed? ?out|temporarily|try again|service unavailable|missing necessary objects/i;

/**
 * Reads the end of `git push --porcelain` of one ref. A line `!\tFROM:TO\t[remote rejected] (WHY)` is a refusal unless
 * its words are known for something else: hooks and rules say what they like (`pre-receive hook declined`, `protected
 * branch hook declined`, `push declined due to repository rule violations`, `permission denied`).
 */
export function readPushAnswer(end: NetworkEnd): PushAnswer {
  if (end.exitCode === 0) return { kind: "pushed" };
  const status = /^!\t[^\t\n]*\t(.*)$/m.exec(end.stdout)?.[1];
  if (status === undefined) return { kind: "unknown", why: renderEnd(end) };
  if (behind.test(status)) return { kind: "behind" };
  const why = `${shorten(status, 120)} ${remoteWords(end)}`.trim();
  return faulty.test(status) || /\[remote failure\]/.test(status) ? { kind: "unknown", why } : { kind: "refused", why };
}
