import { branchName } from "../text/ref-name.ts";
import { readStatus } from "./dirty.ts";
import { readHead } from "./head.ts";
import { findGitPlace } from "./place.ts";
import { whereGitCan } from "./remote.ts";

export interface RepoDescription {
  /** The commit; null without git or before the first commit. */
  readonly head: string | null;
  /** Null without git and if no branch is checked out. */
  readonly branch: string | null;
  /** Whether the code differs from the commit, untracked files included; null without git. */
  readonly dirty: boolean | null;
}

/**
 * Facts for people; no verdict depends on them. `leaveOut` names the absolute folders that are no code, such as task
 * folders. Does not throw: what git cannot tell is null.
 */
export async function describeRepo(
  repo: string,
  leaveOut: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<RepoDescription> {
  const none: RepoDescription = { head: null, branch: null, dirty: null };
  const place = findGitPlace(repo);
  if (place === null) return none;
  const status = await whereGitCan(() => readStatus(place, repo, leaveOut, env));
  if (status !== null) return { head: status.commit, branch: status.branch, dirty: status.dirty };
  // An index that is broken says nothing of the commit.
  const head = await whereGitCan(() => readHead(place, env));
  const ref = head?.ref ?? null;
  return { ...none, head: head?.commit ?? null, branch: ref === null ? null : branchName(ref) };
}
