import { shorten } from "../text/shorten.ts";
import type { NetworkEnd } from "./network.ts";

export type PushAnswer =
  | { readonly kind: "pushed" }
  /** The ref moved, or is being changed right now. */
  | { readonly kind: "behind" }
  /** A rule or hook refuses; retrying does not help. */
  | { readonly kind: "refused"; readonly why: string }
  /** No connection, no report, or a server fault. */
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
  const lines = end.said.split("\n").filter((line) => !/^(?:To |hint: |warning: redirecting)/.test(line));
  return lines.length === 0 || end.said === ""
    ? `git ended with ${end.exitCode ?? "a signal"}`
    : shorten(withoutUserInfo(lines.join("; ")), 300);
}

function remoteWords(end: NetworkEnd): string {
  const words = end.said.split("\n").flatMap((line) => /^remote: (.*\S)\s*$/.exec(line)?.[1] ?? []);
  return words.length === 0 ? "" : `(${shorten(withoutUserInfo(words.join("; ")), 200)})`;
}

function withoutUserInfo(text: string): string {
  return text.replace(/([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/\s@]*@/g, "$1");
}

export function someOf(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map((path) => shorten(path, 80));
  return paths.length > shown.length ? `${shown.join(", ")} and ${paths.length - shown.length} more` : shown.join(", ");
}
