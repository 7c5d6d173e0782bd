import { join } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import { readHead } from "../git/head.ts";
import { findGitPlace, type GitPlace } from "../git/place.ts";
import { runGit } from "../git/run-git.ts";
import type { TaskHistory } from "../machine/history.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { lookAt } from "../store/folder.ts";
import { findRepo } from "../task/load-contract.ts";
import type { DoneTask } from "./moved-since.ts";

/**
 * A warning if the verdict that says `done` names a commit that the repository does not have, or if it has nothing that
 * is checked out, as after a power cut. None without git, and none in a clone that is shallow on purpose.
 */
export async function findLostCommit(
  { place, contract, history }: DoneTask & { readonly history: Pick<TaskHistory, "lastVerdict"> },
  repoFlag: string | null,
  ports: Pick<PassPorts, "env" | "home" | "cwd">,
): Promise<Finding[]> {
  const commit = history.lastVerdict?.code?.commit ?? null;
  if (history.phase !== "done" || commit === null || contract === null) return [];
  try {
    const git = findGitPlace(findRepo(place, contract.contract, repoFlag, ports));
    if (git === null || lookAt(join(git.commonDir, "shallow")) !== null) return [];
    const lost = await describeLost(git, commit, ports.env);
    if (lost === null) return [];
    const fix = "git fsck and git reflog say what is left; the working tree may still have the work";
    return [warningFinding("TP_COMMIT_LOST", `the task is done, but ${lost}`, { file: git.gitDir, fix })];
  } catch (error) {
    // What is wrong with the repo or with git is told by whoever judges them.
    if (error instanceof TaskPhaseError) return [];
    throw error;
  }
}

async function describeLost(git: GitPlace, commit: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  if ((await readHead(git, env)) === null) {
    // A new repository has no log of HEAD yet, and has lost nothing.
    return lookAt(join(git.gitDir, "logs", "HEAD")) === null ? null : `HEAD of ${git.top} names no commit`;
  }
  const args = ["cat-file", "-e", `${commit}^{commit}`];
  const { exitCode } = await runGit(git, args, { cwd: git.top, env, accept: [0, 1, 128] });
  return exitCode === 0 ? null : `the commit ${commit.slice(0, 12)} of its verdict is not in ${git.top}`;
}
