import { dirname, join, relative } from "node:path";
import { readRegularFile } from "../store/read-file.ts";
import { catchForeseenIn } from "../text/attempt.ts";
import { joinLines } from "./git-answer.ts";
import { type GitSettings, settingOf } from "./git-settings.ts";
import { type RepoStatus, readStatus } from "./head.ts";
import { blobName } from "./objects.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { knownSettings } from "./plain-place.ts";
import { pushRemote, rewriteUrl } from "./push-target.ts";
import { runGit } from "./run-git.ts";

/** HEAD and what is known locally of the remote, without network. */
interface RemoteView extends RepoStatus {
  /** From the settings, credentials included. */
  readonly url: string | null;
  /** Whether a remote branch, as last fetched, has the commit; null without a commit or remote. */
  readonly pushed: boolean | null;
}

/** Null without git, or if git fails. `leaveOut` names absolute folders that are no code. Starts two processes. */
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

/** The push remote of a branch (null: detached), else origin. */
export function remoteOf(
  settings: GitSettings,
  branch: string | null,
): { readonly name: string; readonly url: string } | null {
  for (const name of [pushRemote(settings, branch ?? ""), "origin"]) {
    const url = settingOf(settings, `remote.${name}.pushurl`) ?? settingOf(settings, `remote.${name}.url`);
    if (url !== null) return { name, url: rewriteUrl(url, settings.own, ["pushinsteadof", "insteadof"]) };
  }
  return null;
}

/** Stops at the first commit that no branch of the remote has. */
async function isPushed(place: GitPlace, remote: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const args = ["rev-list", "--max-count=1", "HEAD", "--not", `--remotes=${remote}`, "--"];
  const { stdout } = await runGit(place, args, { env });
  return stdout.length === 0;
}

/** Whether a branch has this name, here or in a remote as last fetched. True if git fails. */
export async function hasBranch(repo: string, branch: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const place = findGitPlace(repo);
  if (place === null) return true;
  const args = ["for-each-ref", "--format=%(refname)", `refs/heads/${branch}`, `refs/remotes/*/${branch}`];
  return (await whereGitCan(async () => (await runGit(place, args, { env })).stdout.length > 0)) ?? true;
}

/** Whether git ignores this file, which a commit that names it overrules; false without git, or if it fails. */
export async function isIgnoredFile(path: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const place = findGitPlace(dirname(path));
  if (place === null) return false;
  const args = ["check-ignore", "-q", "--", relative(place.top, path)];
  return (await whereGitCan(async () => (await runGit(place, args, { env, accept: [0, 1] })).exitCode === 0)) ?? false;
}

/** For facts that people read: a failing git makes them unknown. */
export async function whereGitCan<T>(look: () => Promise<T>): Promise<T | null> {
  return await catchForeseenIn(look, () => null);
}

export interface PushedCopies {
  readonly url: string | null;
  readonly branch: string | null;
  readonly files: readonly PushedFile[];
}

interface PushedFile {
  readonly path: string;
  /** The remote branch's newest commit if it has exactly the bytes on disk; else null. */
  readonly commit: string | null;
}

const largestFile = 16 * 1024 * 1024;

/**
 * Where the remote, as last fetched, has exactly the bytes of these absolute paths of one working tree. Null without
 * git. Three processes for any number of files, four if detached. Does not throw if git fails.
 */
export async function findPushedCopies(files: readonly string[], env: NodeJS.ProcessEnv): Promise<PushedCopies | null> {
  const place = files[0] === undefined ? null : findGitPlace(dirname(files[0]));
  if (place === null) return null;
  const paths = files.map((file) => relative(place.top, file));
  return await whereGitCan(async () => {
    const [settings, branch] = await Promise.all([knownSettings(place, env), currentBranch(place, env)]);
    const remote = remoteOf(settings, branch);
    const none = paths.map((path) => ({ path, commit: null }));
    if (remote === null) return { url: null, branch, files: none };
    const refs = branch === null ? ["HEAD"] : trackingRefs(settings, remote.name, branch);
    const known = branch !== null || (await isPushed(place, remote.name, env));
    return { url: remote.url, branch, files: known ? await compare(place, refs, paths, env) : none };
  });
}

async function currentBranch(place: GitPlace, env: NodeJS.ProcessEnv): Promise<string | null> {
  const end = await runGit(place, ["symbolic-ref", "-q", "HEAD"], { env, accept: [0, 1] });
  return /^refs\/heads\/(.+)$/m.exec(end.stdout.toString("utf8"))?.[1] ?? null;
}

function trackingRefs(settings: GitSettings, remote: string, branch: string): string[] {
  const follows = settingOf(settings, `branch.${branch}.remote`) === remote;
  const merge = follows ? settingOf(settings, `branch.${branch}.merge`) : null;
  const names = [branch, ...(merge?.startsWith("refs/heads/") === true ? [merge.slice("refs/heads/".length)] : [])];
  return [...new Set(names)].map((name) => `refs/remotes/${remote}/${name}`);
}

async function compare(
  place: GitPlace,
  refs: readonly string[],
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<PushedFile[]> {
  // A line break would shift every later answer.
  const asked = paths.filter((path) => !/\p{Cc}/u.test(path));
  const questions = refs.flatMap((ref) => [`${ref}^{commit}`, ...asked.map((path) => `${ref}:${path}`)]);
  const input = joinLines(questions);
  const { stdout } = await runGit(place, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], { env, input });
  const answers = stdout.toString("utf8").split("\n");
  const answer = (index: number, type: string): string | null =>
    new RegExp(`^([0-9a-f]{40,64}) ${type}$`).exec(answers[index] ?? "")?.[1] ?? null;
  const commitOf = (path: string): string | null => {
    const at = asked.indexOf(path);
    if (at < 0) return null;
    for (const [index] of refs.entries()) {
      const first = index * (asked.length + 1);
      const [commit, blob] = [answer(first, "commit"), answer(first + 1 + at, "blob")];
      if (commit === null || blob === null) continue;
      const read = readRegularFile(join(place.top, path), largestFile);
      if (read.kind === "file" && blob === blobName(read.bytes, blob.length)) return commit;
    }
    return null;
  };
  return paths.map((path) => ({ path, commit: commitOf(path) }));
}
