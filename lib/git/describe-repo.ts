import { findGitPlace, type GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";

export interface RepoDescription {
  /** The commit; null without git or before the first commit. */
  readonly head: string | null;
  /** Null without git and where no branch is checked out. */
  readonly branch: string | null;
  /** Whether anything differs from the commit, untracked files included; null without git. */
  readonly dirty: boolean | null;
}

/** Facts for people; no verdict depends on them. Does not throw: what git cannot tell is null. */
export async function describeRepo(repo: string, env: NodeJS.ProcessEnv = process.env): Promise<RepoDescription> {
  const place = findGitPlace(repo);
  if (place === null) return { head: null, branch: null, dirty: null };
  const [head, branch, dirty] = await Promise.all([
    say(place, ["rev-parse", "--verify", "-q", "HEAD^{commit}"], env),
    say(place, ["symbolic-ref", "-q", "--short", "HEAD"], env),
    isDirty(place, env),
  ]);
  return { head, branch, dirty };
}

async function say(place: GitPlace, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { exitCode, stdout } = await runGit(place, args, { cwd: place.top, env, accept: [0, 1, 128] });
    const text = stdout.toString("utf8").trim();
    return exitCode === 0 && text !== "" ? text : null;
  } catch {
    return null;
  }
}

async function isDirty(place: GitPlace, env: NodeJS.ProcessEnv): Promise<boolean | null> {
  try {
    const args = ["status", "--porcelain=v1", "-z", "--ignore-submodules=all", "--no-renames"];
    const { stdout } = await runGit(place, args, { cwd: place.top, env });
    return stdout.length > 0;
  } catch {
    return null;
  }
}
