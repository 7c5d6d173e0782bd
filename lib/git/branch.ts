import { join } from "node:path";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { removeAll } from "../store/folder.ts";
import { pathKey } from "../store/path-key.ts";
import { catchForeseenIn } from "../text/attempt.ts";
import { configError, usageError } from "../text/errors.ts";
import { nameSome, shorten } from "../text/shorten.ts";
import { listFiltered } from "./attributes.ts";
import { filterNames, readSettings, runInRepository, writeSetting } from "./git-settings.ts";
import { findUnfinished, readHead } from "./head.ts";
import { listDiffering } from "./log.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { insideOf, isRuntime } from "./stage.ts";

/**
 * Switches the repo to a branch: an existing one, else a new one that follows `origin/NAME` if known (a fresh clone in
 * CI), else a new one from HEAD. Usage error TP_BRANCH_DIRTY if tracked files have uncommitted changes or an untracked
 * one would be overwritten. Uncommitted changes in `travelling`, the task folders and the board, come along as with
 * `git switch`, unless the branch has another version of that very file. A config error without git.
 */
export async function switchBranch(
  repo: string,
  name: string,
  travelling: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly kind: "stayed" | "switched" | "made"; readonly branch: string }> {
  const place = findGitPlace(repo);
  if (place === null) {
    const fix = "omit --branch, or run git init there";
    throw configError("TP_BRANCH_GIT", "--branch needs a repo under git", { file: repo, fix });
  }
  const ref = `refs/heads/${name}`;
  const git = (args: readonly string[], accept: readonly number[] = [0]) => runGit(place, args, { env, accept });
  if (name.startsWith("-") || name === "HEAD" || (await git(["check-ref-format", ref], [0, 1])).exitCode !== 0) {
    const message = `not a valid branch name: ${shorten(name)}`;
    throw usageError("TP_BRANCH_NAME", message, { fix: "for example --branch agent/T-123" });
  }
  const present = (await git(["symbolic-ref", "-q", "HEAD"], [0, 1])).stdout.toString("utf8").trim();
  if (present === ref) return { kind: "stayed", branch: name };
  const busy = findUnfinished(place);
  if (busy !== null) throw dirty(place, name, `a ${busy} is in progress`, `finish the ${busy} first`);
  await refuseDirty(place, name, travelling, env);
  const head = await readHead(place, env);
  const note = ["-m", `checkout: moving to ${name}`];
  if (head === null) {
    await git(["symbolic-ref", ...note, "HEAD", ref]);
    return { kind: "made", branch: name };
  }
  const found = await findTarget(place, name, env);
  const target = found ?? { commit: head.commit, isLocal: false };
  if (!target.isLocal) await makeBranch(place, name, target.commit, env);
  if (target.commit !== head.commit) {
    const moved = await moveTree(place, head.commit, target.commit, env);
    if (moved.kind === "refused") {
      if (!target.isLocal) await git(["update-ref", "-d", ref, target.commit]);
      throw dirty(place, name, moved.why, "commit or move away the files in the way, or switch by hand");
    }
  }
  await git(["symbolic-ref", ...note, "HEAD", ref]);
  if (found !== null && !found.isLocal) {
    await writeSetting(place, `branch.${name}.remote`, "origin", env);
    await writeSetting(place, `branch.${name}.merge`, ref, env);
  }
  return { kind: target.isLocal ? "switched" : "made", branch: name };
}

async function refuseDirty(
  place: GitPlace,
  name: string,
  travelling: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const args = ["status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=all", "--no-renames"];
  const { stdout } = await runGit(place, args, { env });
  const free = travelling.map((folder) => insideOf(place, folder)).filter((folder) => folder !== null);
  const changed = splitNul(stdout)
    .map((line) => line.subarray(3))
    .filter(
      (path) =>
        !isRuntime(path) && !free.some((out) => path.equals(out) || pathKey(path).startsWith(`${pathKey(out)}/`)),
    );
  if (changed.length === 0) return;
  const paths = nameSome(changed.map(pathKey), 5, 80);
  throw dirty(place, name, `there are uncommitted changes: ${paths}`, "commit or stash them first");
}

async function findTarget(
  place: GitPlace,
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<{ commit: string; isLocal: boolean } | null> {
  const [local, remote] = [`refs/heads/${name}`, `refs/remotes/origin/${name}`];
  const format = "--format=%(objectname)%00%(refname)%00%(worktreepath)";
  const { stdout } = await runInRepository(place, ["for-each-ref", format, local, remote], env);
  // A pattern without wildcards names whatever is below it too.
  const refs = stdout
    .toString("utf8")
    .split("\n")
    .map((line) => line.split("\0"))
    .filter(([, ref]) => ref === local || ref === remote)
    .sort(([, left]) => (left === local ? -1 : 1));
  const [commit, ref, worktree] = refs[0] ?? [];
  if (commit === undefined) return null;
  if (ref === local && worktree !== undefined && worktree !== "") {
    const why = `the branch is checked out in another working tree, ${shorten(worktree, 120)}`;
    throw dirty(place, name, why, "run the loop there, or choose another branch");
  }
  return { commit, isLocal: ref === local };
}

async function makeBranch(place: GitPlace, name: string, commit: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    const args = ["update-ref", "-m", "branch: made by task-phase", `refs/heads/${name}`, commit, ""];
    await runGit(place, args, { env });
  } catch (error) {
    // A branch `a` excludes a branch `a/b`.
    const message = `the branch ${shorten(name)} cannot be made: ${(error as Error).message}`;
    throw usageError("TP_BRANCH_NAME", message, { file: place.top, fix: "name another branch" });
  }
}

function dirty(place: GitPlace, name: string, why: string, fix: string): Error {
  const message = `cannot switch to the branch ${shorten(name)}: ${why}`;
  return usageError("TP_BRANCH_DIRTY", message, { file: place.top, fix });
}

type TreeMove = { readonly kind: "moved" } | { readonly kind: "refused"; readonly why: string };

/**
 * Takes index and working tree from one commit to another like a checkout: only differing paths are written. Refused,
 * with nothing touched, if one of them has uncommitted content, or if a filter would have to write it, since the runner
 * runs none. The caller moves HEAD. Throws TP_GIT.
 */
export async function moveTree(place: GitPlace, from: string, to: string, env: NodeJS.ProcessEnv): Promise<TreeMove> {
  const options = { env };
  const filtered = await findFiltered(place, from, to, env);
  if (filtered !== null) {
    const why = `a filter program of git's settings, such as git-lfs, applies to ${shorten(pathKey(Buffer.from(filtered, "latin1")), 100)}`;
    return { kind: "refused", why };
  }
  // Git compares times first: a touched file must not look changed.
  await runGit(place, ["update-index", "-q", "--refresh"], { ...options, accept: [0, 1] });
  const move = async (): Promise<TreeMove> => {
    await runGit(place, ["read-tree", "-m", "-u", from, to], options);
    return { kind: "moved" };
  };
  return await catchForeseenIn(move, ({ message }) => ({ kind: "refused", why: message }));
}

async function findFiltered(place: GitPlace, from: string, to: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const paths = await listDiffering(place, [from, to], env);
  if (paths.length === 0 || filterNames(await readSettings(place, env)).size === 0) return null;
  const scratch = makeTemporaryFolder("index");
  try {
    const variables = { GIT_INDEX_FILE: join(scratch, "index") };
    await runGit(place, ["read-tree", to], { env, variables });
    const [now, then] = await Promise.all([
      listFiltered(place, paths, { env }),
      listFiltered(place, paths, { env, variables, cached: true }),
    ]);
    return paths.map((path) => path.toString("latin1")).find((path) => now.has(path) || then.has(path)) ?? null;
  } finally {
    removeAll(scratch);
  }
}
