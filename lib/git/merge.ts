import { pathKey } from "../store/path-key.ts";
import { identityVariables, readSettings } from "./git-settings.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

export type MergedTree =
  | { readonly kind: "merged"; readonly tree: string }
  /** `tree` has both sides between marks; paths from the top, sorted. */
  | { readonly kind: "conflict"; readonly tree: string; readonly paths: readonly string[] };

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
  const [tree = "", ...paths] = splitNul(stdout).map(pathKey);
  return exitCode === 0 ? { kind: "merged", tree } : { kind: "conflict", tree, paths: [...new Set(paths)].sort() };
}

/** The tree with one folder of it as another commit has it. Throws TP_GIT. */
export async function withFolderOf(
  place: GitPlace,
  { tree, commit, folder }: { readonly tree: string; readonly commit: string; readonly folder: string },
  { env, index }: { readonly env: NodeJS.ProcessEnv; readonly index: string },
): Promise<string> {
  const options = { env, variables: { GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: "1" } };
  await runGit(place, ["read-tree", tree], options);
  await runGit(place, ["rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", folder], options);
  await runGit(place, ["read-tree", `--prefix=${folder}/`, `${commit}:${folder}`], options);
  return (await runGit(place, ["write-tree"], options)).stdout.toString("utf8").trim();
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
  favour: readonly "--theirs"[] = [],
): Promise<Buffer | null> {
  const args = ["merge-file", "-p", "-q", ...favour, files.ours, files.base, files.theirs];
  // Its exit code is the number of conflicts, at most 127; an error is 255.
  const accept = Array.from({ length: 128 }, (_, code) => code);
  const { exitCode, stdout } = await runGit(place, args, { env, accept });
  return exitCode === 0 ? stdout : null;
}
