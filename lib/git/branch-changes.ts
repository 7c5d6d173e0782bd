import { pathKey } from "../store/path-key.ts";
import { plainSettings } from "./objects.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

/** The last commit of a branch that changed a file, from the top; null: none did. Throws TP_GIT. */
export async function findLastChange(
  place: GitPlace,
  tip: string,
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const { stdout } = await runGit(place, ["rev-list", "-1", tip, "--", path], {
    ...{ cwd: place.top, env, extra: plainSettings },
    variables: { GIT_LITERAL_PATHSPECS: "1" },
  });
  const sha = stdout.toString("latin1").trim();
  return sha === "" ? null : sha;
}

/** How many paths under `folder`, `.` for the top, differ between two commits, without those of `leaveOut`. Throws TP_GIT. */
export async function countCodePaths(
  place: GitPlace,
  [one, other]: readonly [string, string],
  folder: string,
  leaveOut: (path: string) => boolean,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", one, other];
  const where = folder === "." ? [] : ["--", folder];
  const { stdout } = await runGit(place, [...words, ...where], {
    ...{ cwd: place.top, env, extra: plainSettings },
    variables: { GIT_LITERAL_PATHSPECS: "1" },
  });
  return splitNul(stdout)
    .map(pathKey)
    .filter((path) => !leaveOut(path)).length;
}
