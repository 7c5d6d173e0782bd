import { TaskPhaseError } from "../report/errors.ts";
import { type RepoStatus, readStatus } from "./dirty.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { knownSettings } from "./plain-place.ts";
import { pushRemote, rewriteUrl } from "./push-target.ts";
import { runGit } from "./run-git.ts";
import { type GitSettings, settingOf } from "./settings.ts";

/** The commit that is checked out, and what is known locally of the remote; no network is used. */
export interface RemoteView extends RepoStatus {
  /** As written in the settings, credentials and all; null if there is no remote. */
  readonly url: string | null;
  /** Whether a branch of the remote, as last seen from here, holds the commit; null without a commit or a remote. */
  readonly pushed: boolean | null;
}

/**
 * Null without git. `leaveOut` names the absolute folders that are no code. Starts two processes, and does not
 * throw: if git cannot tell, it is null too.
 */
export async function askRemote(
  repo: string,
  leaveOut: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<RemoteView | null> {
  const place = findGitPlace(repo);
  if (place === null) return null;
  return await whereGitCan(async () => {
    const settings = await knownSettings(place, env);
    const status = await readStatus(place, repo, leaveOut, env);
    const remote = remoteOf(settings, status.branch);
    const pushed = remote === null || status.commit === null ? null : await isPushed(place, remote.name, env);
    return { ...status, url: remote?.url ?? null, pushed };
  });
}

export interface KnownRemote {
  readonly name: string;
  readonly url: string;
}

/**
 * The remote that a branch is pushed to, else origin; null if there is none. `branch` is null if none is checked out.
 */
export function remoteOf(settings: GitSettings, branch: string | null): KnownRemote | null {
  for (const name of [pushRemote(settings, branch ?? ""), "origin"]) {
    const url = settingOf(settings, `remote.${name}.pushurl`) ?? settingOf(settings, `remote.${name}.url`);
    if (url !== null) return { name, url: rewriteUrl(url, settings.own, ["pushinsteadof", "insteadof"]) };
  }
  return null;
}

/** One walk that ends at the first commit which no branch of the remote holds. */
export async function isPushed(place: GitPlace, remote: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const args = ["rev-list", "--max-count=1", "HEAD", "--not", `--remotes=${remote}`, "--"];
  const { stdout } = await runGit(place, args, { cwd: place.top, env });
  return stdout.length === 0;
}

/** Git's failure to read its own files is no reason to fail: these are facts for people. */
export async function whereGitCan<T>(look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof TaskPhaseError) return null;
    throw error;
  }
}
