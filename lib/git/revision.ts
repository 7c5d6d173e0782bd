import { pathKey } from "../store/path-key.ts";
import type { PathChange } from "./commits.ts";
import { joinLines, splitNul } from "./git-answer.ts";
import { parseTree } from "./list-tree.ts";
import { askPlain } from "./objects.ts";
import type { GitPlace } from "./place.ts";

const literally = { variables: { GIT_LITERAL_PATHSPECS: "1" } };

/** The commit that a revision names; null if none or several. Throws TP_GIT. */
export async function findCommit(place: GitPlace, revision: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  // Git would take these as options.
  if (revision === "" || revision.startsWith("-") || revision.includes("\0")) return null;
  const args = ["rev-parse", "--quiet", "--verify", `${revision}^{commit}`];
  const { exitCode, stdout } = await askPlain(place, args, env, { accept: [0, 1, 128] });
  const name = stdout.toString("latin1").trim();
  return exitCode === 0 && /^[0-9a-f]{40,64}$/.test(name) ? name : null;
}

/** Whether a branch of a remote, as last fetched or pushed, has the commit. Throws TP_GIT. */
export async function isOnRemote(place: GitPlace, commit: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const args = ["for-each-ref", "--count=1", `--contains=${commit}`, "refs/remotes"];
  const { exitCode, stdout } = await askPlain(place, args, env, { accept: [0, 129] });
  return exitCode === 0 && stdout.length > 0;
}

/** Commits reachable from these heads and not from `since`, all full names. Throws TP_GIT. */
export async function listSince(
  place: GitPlace,
  heads: readonly string[],
  since: string,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlySet<string>> {
  const input = joinLines([...heads, `^${since}`]);
  const { stdout } = await askPlain(place, ["rev-list", "--stdin"], env, { input });
  const lines = stdout.toString("latin1").split("\n");
  return new Set(lines.filter((line) => line !== ""));
}

/** The last commit of a branch that changed a file, named from the top; null if none did. Throws TP_GIT. */
export async function findLastChange(
  place: GitPlace,
  tip: string,
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const { stdout } = await askPlain(place, ["rev-list", "-1", tip, "--", path], env, literally);
  const sha = stdout.toString("latin1").trim();
  return sha === "" ? null : sha;
}

/** The paths that commits of `to`, and not of `from`, changed together with a file, all from the top. Throws TP_GIT. */
export async function changedWith(
  place: GitPlace,
  [from, to]: readonly [string, string],
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const words = ["log", "-z", "-m", "--format=", "--name-only", "--no-renames", "--full-diff", "--no-show-signature"];
  const { stdout } = await askPlain(place, [...words, `${from}..${to}`, "--", path], env, literally);
  return [...new Set(splitNul(stdout).map(String))];
}

/** The number of differing paths under `folder` (`.` for the top), without `leaveOut`. Throws TP_GIT. */
export async function countCodePaths(
  place: GitPlace,
  [one, other]: readonly [string, string],
  folder: string,
  leaveOut: (path: string) => boolean,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", one, other];
  const where = folder === "." ? [] : ["--", folder];
  const { stdout } = await askPlain(place, [...words, ...where], env, literally);
  return splitNul(stdout)
    .map(pathKey)
    .filter((path) => !leaveOut(path)).length;
}

/**
 * Files, links and submodules of a commit under `folder`, empty or with a final slash; bytes as latin1. Throws TP_GIT.
 */
export async function listTreeFiles(
  place: GitPlace,
  commit: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<PathChange[]> {
  const where = folder === "" ? [] : ["--", Buffer.from(folder, "latin1").toString("utf8")];
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit, ...where];
  const { stdout } = await askPlain(place, args, env, literally);
  return [...parseTree(stdout)].map(([path, entry]) => ({ path, entry }));
}

/** The commits that revisions name, by revision, in one call of git; without those that name none. Throws TP_GIT. */
export async function findCommits(
  place: GitPlace,
  revisions: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  if (revisions.length === 0) return new Map();
  const input = joinLines(revisions.map((revision) => `${revision}^{commit}`));
  const { stdout } = await askPlain(place, ["cat-file", "--batch-check"], env, { input });
  const lines = stdout.toString("latin1").split("\n");
  return new Map(
    revisions.flatMap((revision, index) => {
      const commit = /^([0-9a-f]+) commit /.exec(lines[index] ?? "")?.[1];
      return commit === undefined ? [] : [[revision, commit] as const];
    }),
  );
}
