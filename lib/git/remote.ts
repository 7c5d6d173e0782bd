import { TaskPhaseError } from "../report/errors.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { pushRemote, rewriteUrl } from "./push-target.ts";
import { runGit } from "./run-git.ts";
import { type GitSettings, readSettings, settingOf } from "./settings.ts";

/** What is checked out, and what is known here of the remote; nothing is asked over the network. */
export interface RemoteView {
  /** Null before the first commit. */
  readonly commit: string | null;
  /** Null where no branch is checked out. */
  readonly branch: string | null;
  /** Whether anything differs from the commit, untracked files included. */
  readonly dirty: boolean;
  /** As written in the settings, credentials and all; null where there is no remote. */
  readonly url: string | null;
  /** Whether a branch of the remote, as last seen from here, holds the commit; null without a commit or a remote. */
  readonly pushed: boolean | null;
}

/** Null without git. Starts three processes, and does not throw: where git cannot tell, it is null too. */
export async function lookAtRemote(folder: string, env: NodeJS.ProcessEnv): Promise<RemoteView | null> {
  const place = findGitPlace(folder);
  if (place === null) return null;
  return await whereGitCan(async () => {
    const settings = await readSettings(place, env);
    const status = await readStatus(place, env);
    const remote = remoteOf(settings, status.branch);
    const pushed = remote === null || status.commit === null ? null : await isPushed(place, remote.name, env);
    return { ...status, url: remote?.url ?? null, pushed };
  });
}

async function readStatus(
  place: GitPlace,
  env: NodeJS.ProcessEnv,
): Promise<Pick<RemoteView, "commit" | "branch" | "dirty">> {
  const form = ["--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--ignore-submodules=all", "--no-renames"];
  const { stdout } = await runGit(place, ["status", ...form], { cwd: place.top, env });
  const lines = stdout.toString("utf8").split("\0").slice(0, -1);
  const told = (key: string): string | null => {
    const value = lines.find((line) => line.startsWith(`# branch.${key} `))?.slice(`# branch.${key} `.length) ?? "";
    return ["", "(initial)", "(detached)"].includes(value) ? null : value;
  };
  return { commit: told("oid"), branch: told("head"), dirty: lines.some((line) => !line.startsWith("# ")) };
}

export interface KnownRemote {
  readonly name: string;
  readonly url: string;
}

/** The remote that a branch is pushed to, else origin; null where there is none. `branch` is null where none is checked out. */
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

/** What git says about its own files is no reason to fail: these are facts for people. */
export async function whereGitCan<T>(look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof TaskPhaseError) return null;
    throw error;
  }
}
