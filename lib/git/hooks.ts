import { join } from "node:path";
import { findExecutable } from "../process/find-executable.ts";
import { readSettings, settingPath } from "./git-settings.ts";
import { findGitPlace } from "./place.ts";

const ofCommits = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-push"];

/** The hooks that a person's commit and push run in this repo, which the runner's do not. Throws TP_GIT. */
export async function listCommitHooks(repo: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const place = findGitPlace(repo);
  if (place === null) return [];
  const named = settingPath(place, await readSettings(place, env), "core.hookspath", env);
  const folder = named ?? join(place.commonDir, "hooks");
  return ofCommits.filter((name) => findExecutable(join(folder, name), place.top, "") !== null);
}
