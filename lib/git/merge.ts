import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { identityVariables, readSettings } from "./settings.ts";

export type MergedTree =
  | { readonly kind: "merged"; readonly tree: string }
  /** Paths from the top, sorted; none if the commits have no common one. */
  | { readonly kind: "conflict"; readonly paths: readonly string[] };

/**
 * What `git merge` would make of two commits, written as objects alone: no index, working tree or ref is touched, and
 * no merge driver of a repository runs. Needs git 2.38. Throws TP_GIT.
 */
export async function mergeTrees(
  place: GitPlace,
  ours: string,
  theirs: string,
  env: NodeJS.ProcessEnv,
): Promise<MergedTree> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const { exitCode, stdout } = await runGit(place, args, { env, accept: [0, 1] });
  const [tree = "", ...paths] = splitNul(stdout).map(String);
  return exitCode === 0 ? { kind: "merged", tree } : { kind: "conflict", paths: [...new Set(paths)].sort() };
}

/** A commit that nothing names yet. Throws TP_GIT. */
export async function makeCommit(
  place: GitPlace,
  { tree, parents, message }: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const variables = identityVariables(await readSettings(place, env), env);
  const words = ["commit-tree", ...parents.flatMap((parent) => ["-p", parent]), "-F", "-", tree];
  const options = { env, variables, durable: true, extra: ["i18n.commitEncoding=UTF-8"], input: Buffer.from(message) };
  return (await runGit(place, words, options)).stdout.toString("utf8").trim();
}

/** One text from two that both come from `base`, as `git merge-file` joins them; null: they contradict each other. */
export async function mergeTexts(
  place: GitPlace,
  files: { readonly ours: string; readonly base: string; readonly theirs: string },
  env: NodeJS.ProcessEnv,
): Promise<Buffer | null> {
  const args = ["merge-file", "-p", "-q", files.ours, files.base, files.theirs];
  // Its exit code is the number of conflicts, at most 127; an error is 255.
  const accept = Array.from({ length: 128 }, (_, code) => code);
  const { exitCode, stdout } = await runGit(place, args, { env, accept });
  return exitCode === 0 ? stdout : null;
}
