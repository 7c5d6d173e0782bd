import { join } from "node:path";
import { findGitPlace } from "../git/place.ts";
import { runGit, splitNul } from "../git/run-git.ts";
import { lookAt } from "../store/folder.ts";
import { namedPaths } from "../store/glob-paths.ts";
import { pathKey } from "../store/path-key.ts";

/**
 * The protected paths that git ignores and that are missing: no clone has them unless something makes them. Only paths
 * that are named without a wildcard, since a glob may match nothing. Throws TP_GIT.
 */
export async function findUnsupplied(
  repo: string,
  globs: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const missing = namedPaths(globs).filter((path) => lookAt(join(repo, path)) === null);
  const place = findGitPlace(repo);
  if (missing.length === 0 || place === null) return [];
  const input = Buffer.from(missing.map((path) => `${path}\0`).join(""));
  // 128: a path leads through a link or into a submodule, where git ignores nothing.
  const options = { cwd: repo, env, input, accept: [0, 1, 128] };
  const { stdout } = await runGit(place, ["check-ignore", "-z", "--stdin"], options);
  return splitNul(stdout).map(pathKey);
}
