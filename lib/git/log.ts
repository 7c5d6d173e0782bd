import { findGitPlace, type GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

export interface PassCommit {
  readonly sha: string;
  readonly pass: number;
  readonly verdict: string;
  readonly subject: string;
}

/** Bounds the cost of a long history. */
const maxLookedAt = 1000;

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
  const format = ["%H", ...trailers, "%s"].join("%x1f");
  // A pass could have named the program that checks signatures.
  const args = ["log", "-z", "--no-show-signature", "--no-color", `--max-count=${maxLookedAt}`, `--format=${format}`];
  const end = await runGit(place, args, { env, accept: [0, 128] });
  return splitNul(end.stdout)
    .map((entry) =>
      entry
        .toString("utf8")
        .split("\x1f")
        .map((part) => part.trim()),
    )
    .filter(([, id, pass]) => id === task && /^\d{1,9}$/.test(pass ?? ""))
    .slice(0, limit)
    .map(([sha = "", , pass, verdict = "", subject = ""]) => ({ sha, pass: Number(pass), verdict, subject }));
}

/** From the task's newest commit with that trailer that `commit` leads to, or from that commit alone. Throws TP_GIT. */
export async function findTrailer(
  place: GitPlace,
  { commit, task, name, alone = false }: { commit: string; task: string; name: string; alone?: boolean },
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const format = ["Task-Phase-Task", name].map((each) => `%(trailers:key=${each},valueonly)`).join("%x1f");
  const only = alone ? ["--max-count=1"] : ["--topo-order", "--fixed-strings", `--grep=${name}: `];
  const words = ["log", "-z", "--no-show-signature", "--no-color", ...only, `--format=${format}`, commit];
  const { stdout } = await runGit(place, words, { env });
  for (const entry of splitNul(stdout)) {
    const [id, value = ""] = entry.toString("utf8").split("\x1f", 2);
    if (id?.trim() === task && value.trim() !== "") return value.trim();
  }
  return null;
}

/**
 * Where a branch of commits of a task begins that `other` does not have, and what was merged into it last since then; null:
 * it has all of them, or no task made any. Throws TP_GIT.
 */
export async function findBegin(
  place: GitPlace,
  { commit, task, other }: { readonly commit: string; readonly task: string; readonly other: string },
  env: NodeJS.ProcessEnv,
): Promise<{ readonly began: string; readonly joined: string | null } | null> {
  const format = "--format=%P%x1f%(trailers:key=Task-Phase-Task,valueonly)";
  const shown = ["--no-show-signature", "--no-color", "--first-parent", format];
  const words = ["log", "-z", ...shown, commit, "--not", other, "--"];
  const commits = splitNul((await runGit(place, words, { env })).stdout).map((entry) => {
    const [parents = "", ids = ""] = entry.toString("utf8").split("\x1f", 2);
    return { parents: parents.split(" "), isOwn: ids.split("\n").includes(task) };
  });
  const first = commits.findLastIndex(({ isOwn }) => isOwn);
  const began = commits[first]?.parents[0] ?? "";
  if (began === "") return null;
  return { began, joined: commits.slice(0, first).find(({ parents }) => parents.length > 1)?.parents[1] ?? null };
}

/** The commits that lead to one of `commits` and to none of `others`, newest first, as `9a01b22 Fix it`. Throws TP_GIT. */
export async function listLeft(
  place: GitPlace,
  commits: readonly string[],
  others: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const words = ["log", "-z", "--no-show-signature", "--no-color", `--max-count=${maxLookedAt}`, "--format=%h %s"];
  const { stdout } = await runGit(place, [...words, ...commits, "--not", ...others, "--"], { env });
  return splitNul(stdout).map(String);
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
