import { pathKey } from "../store/path-key.ts";
import { findGitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

/**
 * The files of the repo that git ignores one by one, relative to it, as `pathKey` writes them; null without git. What
 * is in a folder that is ignored as a whole, such as node_modules, is not looked at. Throws TP_GIT.
 */
export async function listIgnoredFiles(repo: string, env: NodeJS.ProcessEnv): Promise<Set<string> | null> {
  const place = findGitPlace(repo);
  if (place === null) return null;
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const { stdout } = await runGit(place, args, { cwd: repo, env });
  return new Set(
    splitNul(stdout)
      .filter((path) => path.at(-1) !== 0x2f)
      .map(pathKey),
  );
}
