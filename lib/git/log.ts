import type { GitOptions } from "./git-answer.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

export interface PassCommit {
  readonly sha: string;
  readonly pass: number;
  readonly verdict: string;
}

/** Bounds the cost of a long history. */
const maxLookedAt = 1000;

/** What `git log` prints of each commit. A pass could have named the program that checks signatures. Throws TP_GIT. */
export async function readLog(place: GitPlace, words: readonly string[], options: GitOptions): Promise<string[]> {
  const { stdout } = await runGit(place, ["log", "-z", "--no-show-signature", "--no-color", ...words], options);
  return splitNul(stdout).map(String);
}

/** A task's commits reachable from HEAD, newest first; none without git. Throws TP_GIT. */
export async function listPassCommits(
  repo: string,
  task: string,
  limit: number,
  env: NodeJS.ProcessEnv,
): Promise<PassCommit[]> {
  const place = findGitPlace(repo);
  if (place === null) return [];
  const trailers = ["Task", "Pass", "Verdict"].map((name) => `%(trailers:key=Task-Phase-${name},valueonly)`);
  const format = ["%H", ...trailers].join("%x1f");
  const words = [`--max-count=${maxLookedAt}`, `--format=${format}`];
  const entries = await readLog(place, words, { env, accept: [0, 128] });
  return entries
    .map((entry) => entry.split("\x1f").map((part) => part.trim()))
    .filter(([, id, pass]) => id === task && /^\d{1,9}$/.test(pass ?? ""))
    .slice(0, limit)
    .map(([sha = "", , pass, verdict = ""]) => ({ sha, pass: Number(pass), verdict }));
}

/** From the task's newest commit with that trailer that `commit` leads to, or from that commit alone. Throws TP_GIT. */
export async function findTrailer(
  place: GitPlace,
  { commit, task, name, alone = false }: { commit: string; task: string; name: string; alone?: boolean },
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const format = ["Task-Phase-Task", name].map((each) => `%(trailers:key=${each},valueonly)`).join("%x1f");
  const only = alone ? ["--max-count=1"] : ["--topo-order", "--fixed-strings", `--grep=${name}: `];
  for (const entry of await readLog(place, [...only, `--format=${format}`, commit], { env })) {
    const [id, value = ""] = entry.split("\x1f", 2);
    if (id?.trim() === task && value.trim() !== "") return value.trim();
  }
  return null;
}

/**
 * What a task's branch builds on, beside what `other` has; nothing if it has no commits of the task. `begun`: the commits
 * with which it began, newest first; `isPlain`: no merge, and of no task. `joined`: what was merged into it since, newest
 * first. Throws TP_GIT.
 */
export async function listBases(
  place: GitPlace,
  { commit, task, other }: { readonly commit: string; readonly task: string; readonly other: string },
  env: NodeJS.ProcessEnv,
) {
  const format = "--format=%H%x1f%P%x1f%(trailers:key=Task-Phase-Task,valueonly)";
  const entries = await readLog(place, ["--first-parent", format, commit, "--not", other, "--"], { env });
  const commits = entries.map((entry) => {
    const [name = "", parents = "", ids = ""] = entry.split("\x1f", 3);
    const merged = parents.split(" ").slice(1);
    const own = ids.trim().split("\n");
    return { commit: name, merged, ids: own, isRoot: parents === "", isPlain: merged.length === 0 && own[0] === "" };
  });
  const first = commits.findLastIndex(({ ids }) => ids.includes(task));
  return {
    joined: commits.slice(0, Math.max(first, 0)).flatMap(({ merged }) => merged),
    begun: first < 0 ? [] : commits.slice(first + 1),
  };
}

/** The commits at which a branch has been, as far as git remembers. Throws TP_GIT. */
export async function listPlaces(place: GitPlace, ref: string, env: NodeJS.ProcessEnv): Promise<ReadonlySet<string>> {
  return new Set(await readLog(place, ["--walk-reflogs", "--format=%H", ref, "--"], { env, accept: [0, 128] }));
}

/** The commits that lead to one of `commits` and to none of `others`, newest first, as `9a01b22 Fix it`. Throws TP_GIT. */
export async function listLeft(
  place: GitPlace,
  commits: readonly string[],
  others: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const words = [`--max-count=${maxLookedAt}`, "--format=%h %s", ...commits, "--not", ...others, "--"];
  return await readLog(place, words, { env });
}

/** Whether `commit` is `older` or a descendant. Both are in the object store. Throws TP_GIT. */
export async function goesBack(
  place: GitPlace,
  commit: string,
  older: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", older, commit];
  return (await runGit(place, args, { env, accept: [0, 1] })).exitCode === 0;
}

/** Paths in which two commits differ, from the top; `ends` may begin with options of git. Throws TP_GIT. */
export async function listDiffering(
  place: GitPlace,
  ends: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Buffer[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", ...ends];
  return splitNul((await runGit(place, args, { env })).stdout);
}
