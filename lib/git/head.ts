import { join } from "node:path";
import { type Finding, warningFinding } from "../report/finding.ts";
import { lookAt } from "../store/folder.ts";
import type { GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";

export interface Head {
  readonly commit: string;
  readonly tree: string;
  /** Such as `refs/heads/main`; null if no branch is checked out. */
  readonly ref: string | null;
}

/** The commit that is checked out; null before the first one. Throws TP_GIT. */
export async function readHead(place: GitPlace, env: NodeJS.ProcessEnv): Promise<Head | null> {
  const args = ["rev-parse", "-q", "HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD"];
  const end = await runGit(place, args, { cwd: place.top, env, accept: [0, 1, 128] });
  const [commit = "", tree = "", ref = ""] = end.stdout.toString("utf8").trim().split("\n");
  if (end.exitCode !== 0 || tree === "") return null;
  return { commit, tree, ref: ref.startsWith("refs/") ? ref : null };
}

/** The git operation that a person has started and not finished; null if there is none. */
export function findUnfinished(place: GitPlace): string | null {
  const signs: readonly (readonly [string, string])[] = [
    ["MERGE_HEAD", "merge"],
    ["rebase-merge", "rebase"],
    ["rebase-apply", "rebase"],
    ["CHERRY_PICK_HEAD", "cherry-pick"],
    ["REVERT_HEAD", "revert"],
    ["BISECT_START", "bisect"],
  ];
  return signs.find(([name]) => lookAt(join(place.gitDir, name)) !== null)?.[1] ?? null;
}

export function busyFinding(place: GitPlace, act: "committed" | "pushed", what: string): Finding {
  const message = `not ${act}: a ${what} is in progress in ${place.top}`;
  return warningFinding("TP_GIT_BUSY", message, {
    file: place.top,
    fix: `finish the ${what}; the next pass does it then`,
  });
}
