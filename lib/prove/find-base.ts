import { join } from "node:path";
import type { GitPlace } from "../git/place.ts";
import { findCommit, findCommits } from "../git/revision.ts";
import { runGit } from "../git/run-git.ts";
import { readRegularFile } from "../store/read-file.ts";
import { usageError } from "../text/errors.ts";
import { type Finding, infoFinding } from "../text/finding.ts";

/** What a change is held against. */
export interface Base {
  readonly commit: string;
  /** The revision that led there, as `origin/main`. */
  readonly name: string;
}

/** The name of the base if no default branch was found. */
const noBranch = "HEAD";

/** What to say if no base was named, there is no default branch, and nothing differs. */
export function judgeBase({ name }: Base, revision: string | null): Finding[] {
  if (revision !== null || name !== noBranch) return [];
  const looked = `nothing shows where the work left a default branch (${defaultBranches.join(", ")})`;
  const fix = "name the branch that the work left: task-phase prove --base BRANCH";
  return [infoFinding("TP_PROVE_NO_BRANCH", `${looked}, so only what is not committed was looked at`, { fix })];
}

/** In this order: what the remote calls its default branch, then the usual names. */
const defaultBranches = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];

/**
 * The commit where the work left `revision`, or the default branch; that commit itself if the two have nothing in common.
 * Where that is HEAD, the change is what is not committed, and, without a remote, what HEAD gained since that time by its
 * log. A usage error if nothing is there to compare with. Throws TP_GIT.
 */
export async function findBase(
  place: GitPlace,
  revision: string | null,
  since: Date | null,
  env: NodeJS.ProcessEnv,
): Promise<Base> {
  const known = await findCommits(place, ["HEAD", ...(revision === null ? defaultBranches : [])], env);
  const head = known.get("HEAD");
  if (head === undefined)
    throw usageError("TP_PROVE_NO_COMMIT", "the repo has no commit, so there is nothing to compare with", {
      file: place.top,
      fix: "commit what was there before the change",
    });
  for (const name of revision === null ? defaultBranches : [revision]) {
    const commit = revision === null ? (known.get(name) ?? null) : await findCommit(place, name, env);
    if (commit === null) continue;
    const common = commit === head ? head : await mergeBase(place, head, commit, env);
    if (common === null && isShallow(place) && revision === null) continue;
    const isOwn = revision === null && common === head && !name.startsWith("origin/");
    return (isOwn ? await findEarlier(place, head, since, env) : null) ?? { commit: common ?? commit, name };
  }
  if (revision === null) return (await findEarlier(place, head, since, env)) ?? { commit: head, name: noBranch };
  throw usageError("TP_PROVE_BASE", `--base: the repo has no commit ${revision}`, {
    file: place.top,
    fix: isShallow(place)
      ? "the clone is shallow: git fetch --unshallow, or fetch-depth: 0 in CI"
      : "name a branch, a tag or a commit; git log shows them",
  });
}

/** Where HEAD stood at a time; null if its log does not say that, or if what stood there is gone from under it. */
async function findEarlier(
  place: GitPlace,
  head: string,
  since: Date | null,
  env: NodeJS.ProcessEnv,
): Promise<Base | null> {
  if (since === null) return null;
  const time = since.toISOString().slice(0, 19);
  const commit = await findCommit(place, `HEAD@{${time}Z}`, env);
  const common = commit === null || commit === head ? null : await mergeBase(place, head, commit, env);
  return common === null || common === head ? null : { commit: common, name: `HEAD at ${time}Z` };
}

async function mergeBase(place: GitPlace, one: string, other: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const { exitCode, stdout } = await runGit(place, ["merge-base", one, other], { env, accept: [0, 1] });
  return exitCode === 0 ? stdout.toString("latin1").trim() : null;
}

function isShallow(place: GitPlace): boolean {
  return readRegularFile(join(place.commonDir, "shallow"), 1).kind !== "missing";
}
